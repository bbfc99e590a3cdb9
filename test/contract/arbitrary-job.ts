/** Any job there could be: every member drawn independently, also combinations that no run would make. */
import fc from 'fast-check';
import { bitsWith, NO_BITS } from '../../lib/core/bits.ts';
import type { JobId } from '../../lib/core/ids.ts';
import {
  type ErrorLogEntry,
  type HistoryEntry,
  JOB_SCHEMA,
  type Job,
  type JobSource,
  type Lease,
  type Received,
  type Settlement,
  type StepState,
  type TurnBack,
  type UndoState,
  type Value,
} from '../../lib/core/job.ts';
import type { Json } from '../../lib/core/json.ts';
import type { ChildSet, Lineage } from '../../lib/core/relations.ts';
import { JOB_STATES, type Outcome, STEP_STATUSES } from '../../lib/core/states.ts';

/** Plain objects, as jobs are made of. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record<T>(model, { noNullPrototype: true });
}

const text = fc.string({ unit: 'binary', maxLength: 20 });
const maybeText = fc.option(text);
const at = fc.nat({ max: 4_102_444_800_000 });
const maybeAt = fc.option(at);
const count = fc.nat({ max: 1_000 });

/** What JSON can say: the text of -0 is 0. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value)));
const value: fc.Arbitrary<Value> = fc.oneof(
  json.map((data) => ({ data, hash: null })),
  text.map((hash) => ({ data: undefined, hash })),
);
const lease: fc.Arbitrary<Lease | null> = fc.option(record({ owner: text, until: at }));

const undo: fc.Arbitrary<UndoState> = record({
  generation: count,
  topic: text,
  attempts: count,
  attemptsBefore: count,
  lease,
  startedAt: at,
  idleMs: fc.nat(),
  nextAttemptAt: maybeAt,
  promisedUntil: maybeAt,
  compensatedAt: maybeAt,
  result: fc.option(value),
  errorCode: maybeText,
  refused: fc.boolean(),
});

const received: fc.Arbitrary<Received> = record({ key: text, print: text, at, value: fc.option(value) });
const bits = fc.array(fc.nat({ max: 40 })).map((numbers) => bitsWith(NO_BITS, numbers));
const children: fc.Arbitrary<ChildSet> = record({
  total: count,
  created: count,
  releasedTo: count,
  stoppedTo: fc.option(count),
  ended: bits,
  failed: bits,
  failures: fc.array(fc.tuple(count, text)),
  mergedTo: count,
  lookAt: at,
});

const step: fc.Arbitrary<StepState> = record({
  name: text,
  status: fc.constantFrom(...STEP_STATUSES),
  round: count,
  attempts: count,
  attemptsBefore: count,
  queries: count,
  mayHaveApplied: fc.boolean(),
  fenced: fc.boolean(),
  lease,
  startedAt: maybeAt,
  lastCallAt: maybeAt,
  completedAt: maybeAt,
  nextAttemptAt: maybeAt,
  deadlineAt: maybeAt,
  settleBy: fc.option(fc.constantFrom<Settlement>('retry', 'query', 'undo', 'review')),
  errorCode: maybeText,
  errorMessage: maybeText,
  output: fc.option(value),
  target: maybeText,
  callback: fc.option(record({ salt: text, attempt: count, expiresAt: at, used: fc.boolean() })),
  received: fc.option(received),
  parkedOn: maybeText,
  probing: fc.boolean(),
  undo: fc.option(undo),
  children: fc.option(children),
});

const entry: fc.Arbitrary<HistoryEntry> = record({
  seq: count,
  from: fc.option(fc.constantFrom(...JOB_STATES)),
  to: fc.constantFrom(...JOB_STATES),
  reason: text,
  at,
  actor: text,
  errorCode: maybeText,
  step: maybeText,
  evidence: maybeText,
  mark: text,
});

const error: fc.Arbitrary<ErrorLogEntry> = record({
  at,
  step: maybeText,
  attempt: count,
  errorCode: text,
  message: text,
  nextAttemptAt: maybeAt,
});

const lineage: fc.Arbitrary<Lineage> = fc.record(
  {
    replayOf: text,
    replayedBy: fc.array(text),
    recoveryOf: text,
    undoneBy: text,
    parentJobId: text.map((id) => id as JobId),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const SOURCES = [
  'api',
  'batch',
  'sqs',
  'sns',
  'eventbridge',
  'schedule',
  'stream',
  'child',
  'replay',
  'recovery',
] as const;

export const arbitraryJob: fc.Arbitrary<Job> = record({
  schema: fc.constant(JOB_SCHEMA),
  jobId: text.map((id) => id as JobId),
  correlationId: text,
  idempotencyKey: text,
  inputFingerprint: text,
  callerId: text,
  source: fc.constantFrom<JobSource>(...SOURCES),
  workflowType: text,
  workflowVersion: count,
  state: fc.constantFrom(...JOB_STATES),
  outcome: fc.option(fc.constantFrom<Outcome>('succeeded', 'rolled_back', 'partially_rolled_back')),
  createdAt: at,
  updatedAt: at,
  deadlineAt: at,
  nextActionAt: maybeAt,
  bucket: maybeAt,
  retryCount: count,
  maxRetries: count,
  lastErrorCode: maybeText,
  lastErrorMessage: maybeText,
  stoppedReason: maybeText,
  trace: record({ traceparent: text, tracestate: maybeText }),
  lineage,
  input: value,
  output: fc.option(value),
  sagaRound: fc.nat({ max: 3 }),
  past: fc.array(
    record({
      step: fc.constantFrom('tenant', 'user'),
      round: fc.nat({ max: 3 }),
      generation: fc.option(fc.nat({ max: 3 })),
      appliedAt: fc.option(at),
      output: fc.option(value),
      target: maybeText,
    }),
    { maxLength: 2 },
  ),
  turnBack: fc.option(record({ cause: fc.constantFrom<TurnBack['cause']>('failure', 'deadline', 'cancel'), at })),
  steps: fc.array(step, { maxLength: 4 }),
  parkedOn: maybeText,
  errorLog: fc.array(error, { maxLength: 4 }),
  history: fc.array(entry, { maxLength: 5 }),
  publishedSeq: fc.integer({ min: -1, max: 1_000 }),
  revision: count,
  writeId: text,
});
