/**
 * Every guard that a promise rests on, and how to take it away. `find` stands in the file exactly once; the suites are
 * those that should notice, the cheapest first.
 */
export interface Guard {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly suites: readonly string[];
}

const SEEDS = 'test/simulation/seeds.test.ts';
const SINGLES = 'test/simulation/singles.test.ts';
const CORE = 'test/core';
const MODEL = 'test/model';
const AWS = 'test/adapters/aws';
const SQLITE = 'test/adapters/sqlite';
const WORKER = 'test/worker';
const OPERATIONS = 'test/operations';

const stores: readonly Guard[] = [
  {
    name: 'revision condition, in memory',
    file: 'lib/adapters/memory/jobs.ts',
    find: 'if (rows.get(job.jobId)?.revision === expectedRevision) {',
    replace: 'if (rows.has(job.jobId)) {',
    suites: [SEEDS],
  },
  {
    name: 'revision condition, on SQLite',
    file: 'lib/adapters/sqlite/jobs.ts',
    find: 'WHERE job_id = ? AND revision = ?`',
    replace: 'WHERE job_id = ? AND (revision = ? OR 1)`',
    suites: [SQLITE],
  },
  {
    name: 'revision condition within a bucket, on SQLite',
    file: 'lib/adapters/sqlite/jobs.ts',
    find: 'WHERE job_id = ? AND revision = ? AND bucket = ?',
    replace: 'WHERE job_id = ? AND (revision = ? OR 1) AND bucket = ?',
    suites: [SQLITE],
  },
  {
    name: 'revision condition, on DynamoDB',
    file: 'lib/adapters/aws/jobs.ts',
    find: "text: '#rev = :expected'",
    replace: "text: '#rev >= :expected OR #rev < :expected'",
    suites: [`${AWS}/stores.test.ts`],
  },
  {
    name: 'one job for one id: creation is conditional, in memory',
    file: 'lib/adapters/memory/jobs.ts',
    find: 'if (existing !== null) return isOwnWrite',
    replace: "if (existing !== null && existing.state === 'PENDING') return isOwnWrite",
    suites: [SEEDS],
  },
  {
    name: 'one job for one id: creation is conditional, on DynamoDB',
    file: 'lib/adapters/aws/conditional-put.ts',
    find: "text: 'attribute_not_exists(#pk)'",
    replace: "text: 'attribute_not_exists(#pk) OR attribute_exists(#pk)'",
    suites: [`${AWS}/stores.test.ts`],
  },
  {
    name: 'one job for one id: creation is conditional, on SQLite',
    file: 'lib/adapters/sqlite/jobs.ts',
    find: 'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_id) DO NOTHING`',
    replace:
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job_id) DO UPDATE SET document = excluded.document`',
    suites: [SQLITE],
  },
  {
    name: 'consistent reads of many at once, on DynamoDB',
    file: 'lib/adapters/aws/read-many.ts',
    find: '{ ConsistentRead: consistent, ...',
    replace: '{ ...',
    suites: [`${AWS}/ambiguity.test.ts`],
  },
  {
    name: 'consistent reads of history, on DynamoDB',
    file: 'lib/adapters/aws/history.ts',
    find: '      ConsistentRead: true,\n',
    replace: '',
    suites: [`${AWS}/ambiguity.test.ts`],
  },
  {
    name: 'consistent reads, on DynamoDB',
    file: 'lib/adapters/aws/conditional-put.ts',
    find: 'Key, ConsistentRead: true }',
    replace: 'Key }',
    suites: [AWS],
  },
  {
    name: 'write id: a write of ours whose answer was lost is our own',
    file: 'lib/core/own-write.ts',
    find: 'if (current.writeId === attempted.writeId) return true;',
    replace: '',
    suites: [`${CORE}/own-write.test.ts`, SEEDS],
  },
  {
    name: 'write mark: so it is when others wrote on top',
    file: 'lib/core/own-write.ts',
    find: 'return attempted.history.some((entry) => entry.mark === mark && own(entry.seq));',
    replace: 'return false;',
    suites: [`${CORE}/own-write.test.ts`, SEEDS],
  },
  {
    name: 'write id: nobody else’s write is taken for our own',
    file: 'lib/core/own-write.ts',
    find: 'current.writeId === attempted.writeId',
    replace: 'current.revision >= attempted.revision',
    suites: [SEEDS],
  },
  {
    name: 'commit before the answer, on SQLite',
    file: 'lib/adapters/sqlite/group-commit.ts',
    find: 'running = null;\n      this.#commit();',
    replace: 'running = null;\n      for (const unit of units) unit.resolve();\n      this.#commit();',
    suites: [SQLITE],
  },
  {
    name: 'values are there before the job refers to them',
    file: 'lib/operations/apply.ts',
    find: 'const next = await storeValues(ports, job);\n  const written = await ports.jobs.update(next, expectedRevision);',
    replace:
      'const next = job;\n  const written = await ports.jobs.update(await storeValues({ ...ports, values: { ...ports.values, put: async () => {} } }, next), expectedRevision);\n  if (written.stored) await storeValues(ports, next);',
    suites: [SEEDS],
  },
  {
    name: 'a settled dead letter is settled once',
    file: 'lib/adapters/memory/records.ts',
    find: 'if (stored === null || stored.settlement !== null) return stored;',
    replace: 'if (stored === null) return stored;',
    suites: ['test/adapters/memory', SEEDS],
  },
  {
    name: 'each entry of a batch is looked at, on SQS',
    file: 'lib/adapters/aws/queue.ts',
    find: 'return Failed.flatMap(',
    replace: 'return Failed.slice(99).flatMap(',
    suites: [`${AWS}/batches.test.ts`],
  },
  {
    name: 'each entry of a batch is looked at, on EventBridge',
    file: 'lib/adapters/aws/bus.ts',
    find: 'if (result?.EventId !== undefined) return [];',
    replace: 'if (result?.EventId !== undefined || result?.ErrorCode !== undefined) return [];',
    suites: [`${AWS}/batches.test.ts`],
  },
  {
    name: 'an unconfirmed entry was not taken, on EventBridge',
    file: 'lib/adapters/aws/bus.ts',
    find: 'if (result?.EventId !== undefined) return [];',
    replace: 'if (result?.ErrorCode === undefined) return [];',
    suites: [`${AWS}/batches.test.ts`],
  },
];

const decisions: readonly Guard[] = [
  {
    name: 'terminal: an ended job takes no turn',
    file: 'lib/core/decide.ts',
    find: "if (isTerminal(draft.job.state)) return { status: 'ignored', reason: 'terminal' };\n  advance(draft);",
    replace: "advance(draft);\n  moveJob(draft, 'late_success', null);",
    suites: [`${CORE}/every-state.test.ts`, SEEDS],
  },
  {
    name: 'terminal: nobody operates on an ended job',
    file: 'lib/core/operate.ts',
    find: 'if (isTerminal(job.state)) return refused(',
    replace: "if (job.state === 'COMPLETED') return refused(",
    suites: [CORE],
  },
  {
    name: 'sticky doubt: once it may have applied, only a success or a fence clears it',
    file: 'lib/core/settle.ts',
    find: '!failed.fenced && (step.mayHaveApplied || applied)',
    replace: '!failed.fenced && applied',
    suites: [SEEDS],
  },
  {
    name: 'undo of what is unknown',
    file: 'lib/core/effects.ts',
    find: "    case 'succeeded':\n    case 'unknown':\n      return true;\n    case 'failed':",
    replace: "    case 'succeeded':\n      return true;\n    case 'unknown':\n      return false;\n    case 'failed':",
    suites: [SEEDS],
  },
  {
    name: 'undo of what failed and may have applied',
    file: 'lib/core/effects.ts',
    find: "    case 'skipped':\n    case 'pending':\n      return step.mayHaveApplied;",
    replace: "    case 'skipped':\n    case 'pending':\n      return false;",
    suites: [SEEDS],
  },
  {
    name: 'an unknown is an effect to turn back for',
    file: 'lib/core/effects.ts',
    find: "return hasChildrenOut(step) || effectOf(step, stepPlan) === 'unknown' || owesUndo(step, stepPlan);",
    replace: 'return hasChildrenOut(step) || owesUndo(step, stepPlan);',
    suites: [SEEDS],
  },
  {
    name: 'no undo while a forward call is out',
    file: 'lib/core/recover.ts',
    find: '  if (waitForChildren(draft) || forwardInFlight(draft)) return;\n',
    replace: '  if (waitForChildren(draft)) return;\n',
    suites: [SEEDS],
  },
  {
    name: 'lease: a call that is out is not taken for lost',
    file: 'lib/core/expire.ts',
    find: "if (step.status === 'dispatched' && !leaseHolds(draft, step)) failForward",
    replace: "if (step.status === 'dispatched' && draft.driver !== null) failForward",
    suites: [CORE],
  },
  {
    name: 'lease: a call is begun only while its lease leaves time for it',
    file: 'lib/operations/perform.ts',
    find: 'clock.now() > call.lastStartAt',
    replace: 'clock.now() > Number.POSITIVE_INFINITY',
    suites: [OPERATIONS, SEEDS],
  },
  {
    name: 'one compensation start: a job on its way back is not turned back again',
    file: 'lib/core/cancel.ts',
    find: "    case 'COMPENSATING':\n      return refused('the job is already being taken back: its rollback cannot be cancelled');\n",
    replace: '',
    suites: [SEEDS],
  },
  {
    name: 'one undo at a time',
    file: 'lib/core/recover.ts',
    find: 'work.sort((a, b) => b.begun - a.begun).slice(0, 1)',
    replace: 'work.sort((a, b) => b.begun - a.begun)',
    suites: [SEEDS],
  },
  {
    name: 'order of undos',
    file: 'lib/core/effects.ts',
    find: 'steps.sort((a, b) => place(a.step.name) - place(b.step.name) || b.index - a.index);',
    replace: 'steps.sort((a, b) => place(b.step.name) - place(a.step.name) || b.index - a.index);',
    suites: [SEEDS],
  },
  {
    name: 'without a fence, an undo waits for what may be at work',
    file: 'lib/core/recover.ts',
    find: 'return mayBeAtWork ? Math.max(from, calledAt + longest) : from;',
    replace: 'return from;',
    suites: [`${CORE}/undo.test.ts`, SEEDS],
  },
  {
    name: 'without a fence, the undo of an unknown leaves the doubt',
    file: 'lib/core/fold-undo.ts',
    find: 'step.completedAt === null && route?.fencing !== true',
    replace: 'false',
    suites: [CORE, SEEDS],
  },
  {
    name: 'a late success while turning back becomes its undo',
    file: 'lib/core/fold-forward.ts',
    find: 'setStep(draft, step, { mayHaveApplied: true, output: newValue(output), completedAt: at });\n  tellIfStopped(draft, step);\n  return null;',
    replace: "return 'late';",
    suites: [CORE, SEEDS],
  },
  {
    name: 'a failure counts only from the attempt that is out',
    file: 'lib/core/fold-forward.ts',
    find: 'if (isOut && result.attempt === step.attempts) {',
    replace: 'if (isOut) {',
    suites: [MODEL, SEEDS],
  },
  {
    name: 'an end is clean only when nothing is left',
    file: 'lib/core/ends.ts',
    find: 'if (left !== undefined) {',
    replace: 'if (left !== undefined && false) {',
    suites: [SEEDS],
  },
  {
    name: 'past the pivot nothing is taken back',
    file: 'lib/core/ends.ts',
    find: "if (pivot(job, draft.plan) !== 'before') {",
    replace: "if (pivot(job, draft.plan) !== 'before' && false) {",
    suites: [SEEDS, CORE],
  },
  {
    name: 'a stale expected revision is refused',
    file: 'lib/core/refusal.ts',
    find: 'expectedRevision === null ||',
    replace: 'expectedRevision !== undefined ||',
    suites: [SEEDS, CORE],
  },
  {
    name: 'a job is closed only when nothing is open',
    file: 'lib/core/operate.ts',
    find: 'if (open.length > 0) {\n    return refused(`$',
    replace: 'if (open.length > 99) {\n    return refused(`$',
    suites: [SEEDS],
  },
  {
    name: 'nothing goes forward past an undo',
    file: 'lib/core/operate.ts',
    find: "if (undoStarted(draft)) return refused('an undo has been started",
    replace: "if (false as boolean) return refused('an undo has been started",
    suites: [SEEDS, CORE],
  },
  {
    name: 'bucket: never later than the next action',
    file: 'lib/core/schedule.ts',
    find: 'if (job.bucket === null || wanted < job.bucket || mayMoveLater) return wanted;',
    replace: 'if (job.bucket === null || mayMoveLater) return wanted;',
    suites: [SEEDS],
  },
  {
    name: 'bucket: whoever owes news stays due',
    file: 'lib/core/schedule.ts',
    find: 'const owes = owesNews(job);\n  if (job.nextActionAt === null && !owes) return null;',
    replace: 'const owes = false as boolean;\n  if (job.nextActionAt === null && !owes) return null;',
    suites: [SEEDS],
  },
  {
    name: 'another round only after a clean rollback',
    file: 'lib/core/saga-retry.ts',
    find: "job.turnBack?.cause !== 'failure' || !wentCleanly(draft)",
    replace: "job.turnBack?.cause !== 'failure' || (wentCleanly(draft) && false)",
    suites: [CORE, SEEDS],
  },
];

const deeds: readonly Guard[] = [
  {
    name: 'published_seq: told before it is noted as told',
    file: 'lib/operations/publish.ts',
    find: '  const history = await wholeHistory(engine, job);\n',
    replace:
      "  const told = lastEntry(job).seq;\n  await apply(engine, job.jobId, () => ({ type: 'published', upTo: told, trimTo: 0 }), job);\n  const history = await wholeHistory(engine, job);\n",
    suites: [SEEDS, SINGLES],
  },
  {
    name: 'published_seq: only what was told is noted as told',
    file: 'lib/core/decide.ts',
    find: 'Math.max(job.publishedSeq, Math.min(upTo, last))',
    replace: 'last',
    suites: [SEEDS, CORE],
  },
  {
    name: 'history: stored apart before it is cut off',
    file: 'lib/operations/publish.ts',
    find: '  await engine.ports.jobs.putHistoryChunk(job.jobId, first / LIMITS.historyChunk, entries);\n',
    replace: '  void entries;\n',
    suites: [OPERATIONS, 'test/http', SEEDS],
  },
  {
    name: 'same key, other payload: a conflict',
    file: 'lib/operations/submit.ts',
    find: 'if (existing.inputFingerprint === fingerprint) return',
    replace: 'if (existing.inputFingerprint !== null) return',
    suites: [SEEDS],
  },
  {
    name: 'nobody sees another’s job',
    file: 'lib/operations/inspect.ts',
    find: "return viewer.role === 'operator' || viewer.callerId === owner;",
    replace: "return viewer.role === 'operator' || viewer.callerId !== '';",
    suites: [SEEDS],
  },
  {
    name: 'operators only',
    file: 'lib/operations/operate.ts',
    find: "if (viewer.role !== 'operator') return refuse(",
    replace: "if (viewer.callerId === '') return refuse(",
    suites: [SEEDS],
  },
  {
    name: 'an answer in hand is never dropped',
    file: 'lib/operations/drive.ts',
    find: "const sent = await Promise.allSettled(results.map((result) => sendResult(engine, job.jobId, result)));\n    for (const one of sent) if (one.status === 'rejected') lost(engine, job, one.reason);",
    replace: 'void [sendResult, lost];',
    suites: [OPERATIONS, SEEDS],
  },
  {
    name: 'one bad job does not keep the watchdog from the others',
    file: 'lib/operations/sweep.ts',
    find: "    return 'failed';\n",
    replace: '    throw error;\n',
    suites: [OPERATIONS, SEEDS],
  },
  {
    name: 'the watchdog decides on the job, not on the index',
    file: 'lib/operations/sweep.ts',
    find: 'await hint(job, driverKindOf(job));',
    replace: "await hint(job, 'forward');",
    suites: [OPERATIONS, SEEDS],
  },
  {
    name: 'late effects are undone by jobs of their own',
    file: 'lib/operations/follow-up.ts',
    find: '  await createRecoveries(engine, job, plan);\n',
    replace: '',
    suites: [OPERATIONS, SEEDS],
  },
  {
    name: 'a discarded dead letter is not replayed',
    file: 'lib/operations/replay.ts',
    find: 'if (first === null && record.settlement !== null)',
    replace: 'if (first === null && record.settlement === undefined)',
    suites: [`${OPERATIONS}/dead-letters.test.ts`],
  },
  {
    name: 'a message is removed only when it was dealt with, embedded',
    file: 'lib/local/consumer.ts',
    find: "if ((await handle(received)) === 'done') await reader.remove(queue, received.receipt);",
    replace: 'await reader.remove(queue, received.receipt);\n      await handle(received);',
    suites: ['test/local/consumer.test.ts'],
  },
  {
    name: 'what a newer version has written is left alone',
    file: 'lib/contract/stored-job.ts',
    find: 'if (stored.schema > JOB_SCHEMA) throw',
    replace: 'if (stored.schema > JOB_SCHEMA + 99) throw',
    suites: ['test/contract', OPERATIONS],
  },
];

const participants: readonly Guard[] = [
  {
    name: 'tombstone: an undo that comes first keeps its call out',
    file: 'lib/worker/operation.ts',
    find: 'if (operation.revoked && !isSettled(operation)) return known(operation, REVOKED);',
    replace: '',
    suites: [WORKER],
  },
  {
    name: 'tombstone: an undo that finds nothing puts one up',
    file: 'lib/worker/operation.ts',
    find: "effect: operation.effect === 'none' ? 'none' : 'undone', revoked: true,",
    replace: "effect: operation.effect === 'none' ? 'none' : 'undone', revoked: operation.effect !== 'none',",
    suites: [WORKER],
  },
  {
    name: 'an operation is applied once',
    file: 'lib/worker/operation.ts',
    find: 'if (operation.forward.answer !== null) return known(operation, operation.forward.answer);',
    replace: '',
    suites: [WORKER],
  },
  {
    name: 'a transient answer is never replayed as final',
    file: 'lib/worker/operation.ts',
    find: 'return answer.isSuccessful || isFinal(answer.statusCode) ? answer : null;',
    replace: 'return answer;',
    suites: [WORKER],
  },
  {
    name: 'same operation, other payload: a conflict',
    file: 'lib/worker/operation.ts',
    find: 'operation.fingerprint !== null && operation.fingerprint !== fingerprint',
    replace: 'operation.fingerprint !== null && operation.fingerprint === null',
    suites: [WORKER],
  },
  {
    name: 'gate: what is held is not called',
    file: 'lib/core/park.ts',
    find: '  if (!way.held) {\n    const full',
    replace:
      "  if (way.held && direction === 'do') return { held: false, target: '', probe: false };\n  if (!way.held) {\n    const full",
    suites: [`${CORE}/park.test.ts`],
  },
  {
    name: 'a recovery job says what it undoes',
    file: 'lib/core/calls.ts',
    find: '    about: undone,\n',
    replace: '    about: undone === null ? null : null,\n',
    suites: [`${CORE}/recovery-job.test.ts`],
  },
];

export const GUARDS: readonly Guard[] = [...stores, ...decisions, ...deeds, ...participants];
