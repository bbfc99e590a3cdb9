/**
 * Stands between the orchestrator and its participants, and at every store, and knows what may be called and touched
 * when: one operation has one name, no attempt is made twice, nothing runs before its turn, nobody reads another's.
 */
import type { Answer } from '../../core/answers.ts';
import { isAlive, planOf } from '../../core/effects.ts';
import type { Call } from '../../core/events.ts';
import type { Job, StepState } from '../../core/job.ts';
import { canonicalJson } from '../../core/json.ts';
import type { WorkflowPlan } from '../../core/plan.ts';
import { type PlanCatalog, planFor } from '../../operations/engine.ts';
import type { CallEnvelope, Message } from '../../ports.ts';
import { when } from './change-rules.ts';
import type { Invocation } from './invocation.ts';
import { type RunRecord, shortened } from './record.ts';
import { resultMessage } from './result-message.ts';
import type { Timeline } from './timeline.ts';

export interface Witness {
  /** A call is about to be made, by this invocation. */
  calling(by: Invocation, envelope: CallEnvelope): void;
  /** Its answer has come to whoever called. */
  answered(envelope: CallEnvelope): void;
  /** It is on its way; the answer is to be called when it lands. */
  sent(envelope: CallEnvelope): () => void;
  /** Whether a call of this operation is on its way. */
  isOnItsWay(operationId: string): boolean;
  /** It arrives; what the participant answers is passed on. */
  heard(envelope: CallEnvelope, deliver: () => Promise<Answer>): Promise<Answer>;
  /** An invocation reads or writes something of this job. */
  touched(by: Invocation, about: string | null): void;
  /** Every answer that a participant gave, whether anybody heard it or not, as the message that would tell it. */
  readonly answers: readonly Message[];
  /** Calls that have been made, by operation. */
  readonly operations: ReadonlyMap<string, OperationSeen>;
}

export interface OperationSeen {
  readonly jobId: string;
  readonly step: string;
  readonly direction: Call['direction'];
  readonly body: string;
  readonly attempts: Set<number>;
}

export interface WitnessOptions {
  readonly time: Timeline;
  readonly record: RunRecord;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly plans: PlanCatalog;
}

export function witness({ time, record, jobs, plans }: WitnessOptions): Witness {
  const operations = new Map<string, OperationSeen>();
  const onTheWay = new Map<string, number>();
  const out = new Map<string, Out>();
  const answers: Message[] = [];
  return {
    operations,
    answers,
    calling: (by, envelope) => {
      const { call, jobId } = envelope;
      record.say(() => `    calls ${call.direction} ${shortened(call.operationId)} attempt ${call.attempt}`);
      const job = jobs.get(jobId);
      const plan = job === undefined ? undefined : planFor(plans, job);
      if (job === undefined || plan === undefined) {
        record.breaks(`I13 a call for ${jobId}, which nobody has`);
        return;
      }
      const now = time.now() + by.skewMs;
      const found = [
        ...named(operations, envelope),
        ...underLease(out, job, call, now),
        ...inTurn(job, plan, call),
        ...(call.direction === 'undo' ? undoRules(job, plan, call, now) : []),
      ];
      for (const rule of found) record.breaks(`${shortened(call.operationId)}: ${rule}`);
    },
    answered: ({ call }) => {
      if (out.get(call.operationId)?.attempt === call.attempt) out.delete(call.operationId);
    },
    sent: ({ call }) => {
      const count = (by: number): void => {
        onTheWay.set(call.operationId, (onTheWay.get(call.operationId) ?? 0) + by);
      };
      count(1);
      return () => count(-1);
    },
    isOnItsWay: (operationId) => (onTheWay.get(operationId) ?? 0) > 0,
    heard: async (envelope, deliver) => {
      const answer = await deliver();
      answers.push(resultMessage(envelope, answer, time.now()));
      record.say(
        () => `    answer to ${envelope.call.direction} ${shortened(envelope.call.operationId)}: ${wordsOf(answer)}`,
      );
      return answer;
    },
    touched: (by, about) => {
      if (by.jobId === null || about === null || by.jobId === about) return;
      const [own, other] = [jobs.get(by.jobId), jobs.get(about)];
      if (own === undefined || other === undefined || related(own, other) || related(other, own)) return;
      record.breaks(`I13 ${by.name} for ${shortened(by.jobId)} touched ${shortened(about)}`);
    },
  };
}

function wordsOf(answer: Answer): string {
  if (answer.kind !== 'failure')
    return `${answer.kind}${answer.kind === 'success' ? ` ${JSON.stringify(answer.output)}` : ''}`;
  const how = answer.fenced ? 'fenced' : answer.mayHaveApplied ? 'may have applied' : 'not applied';
  return `${answer.code}, ${how}`;
}

function related(job: Job, other: Job): boolean {
  const { replayOf, recoveryOf, undoes, rerunOf } = job.lineage;
  return [replayOf, recoveryOf, undoes?.jobId, rerunOf].includes(other.jobId);
}

/** I3: one name for one operation, and each attempt once. */
function named(operations: Map<string, OperationSeen>, { call, jobId }: CallEnvelope): string[] {
  const { operationId, step, direction } = call;
  // A query has no effect and travels under the name of what it asks about.
  if (direction === 'query') return [];
  const body = direction === 'do' ? canonicalJson(call.body) : '';
  const seen = operations.get(operationId);
  if (seen === undefined) {
    operations.set(operationId, { jobId, step, direction, body, attempts: new Set([call.attempt]) });
    return [];
  }
  const isOther = seen.jobId !== jobId || seen.step !== step || seen.direction !== direction;
  const found: string[] = [];
  if (isOther) found.push(`I3 names two operations, of ${shortened(seen.jobId)} and ${shortened(jobId)}`);
  else if (seen.body !== body) found.push('I3 was called with another payload');
  if (seen.attempts.has(call.attempt)) found.push(`I3 attempt ${call.attempt} was made before`);
  seen.attempts.add(call.attempt);
  return found;
}

interface Out {
  readonly attempt: number;
  readonly until: number;
}

/** I7: nobody calls while another attempt may be answered, nor when their own lease leaves no time for it. */
function underLease(out: Map<string, Out>, job: Job, call: Call, now: number): string[] {
  if (call.direction === 'query') return [];
  const earlier = out.get(call.operationId);
  const step = job.steps.find(({ name }) => name === call.step);
  const lease = call.direction === 'undo' ? step?.undo?.lease : step?.lease;
  if (lease != null) out.set(call.operationId, { attempt: call.attempt, until: lease.until });
  return [
    ...when(now > call.lastStartAt, 'I7 begins when its lease leaves no time for it'),
    ...when(
      earlier !== undefined && earlier.attempt < call.attempt && now < earlier.until,
      `I7 attempt ${call.attempt} begins while attempt ${earlier?.attempt} is out`,
    ),
  ];
}

/** I4: nothing is called before what comes before it is through. */
function inTurn(job: Job, plan: WorkflowPlan, call: Call): string[] {
  if (call.direction !== 'do') return [];
  const { stage } = planOf(plan, call.step);
  const own = job.steps.find(({ name }) => name === call.step);
  const early = job.steps.filter(
    (step) =>
      planOf(plan, step.name).stage < stage &&
      step.round <= (own?.round ?? 0) &&
      ['pending', 'dispatched', 'retry_scheduled', 'waiting'].includes(step.status),
  );
  return early.map(({ name, status }) => `I4 was called while ${name} of an earlier stage is ${status}`);
}

function undoRules(job: Job, plan: WorkflowPlan, call: Call, now: number): string[] {
  const out = job.steps.filter((step) => isAlive(step.lease, now, null));
  const found = out.map(({ name }) => `I2 undone while ${name} is out`);
  const own = job.steps.find(({ name }) => name === call.step);
  if (plan.concurrentUndo || own === undefined || own.undo?.attempts !== 1 || own.undo.generation > 0) return found;
  const others = job.steps.filter(({ name }) => name !== call.step);
  const beside = others.filter(
    ({ status, undo }) => status === 'compensating' && isAlive(undo?.lease ?? null, now, null),
  );
  const earlier = others.filter((step) => step.status === 'succeeded' && comesBefore(step, own, plan));
  return [
    ...found,
    ...beside.map(({ name }) => `I2 undone beside ${name}`),
    ...earlier.map(({ name }) => `I2 undone before ${name}`),
  ];
}

/** As the definition orders undos, or else by who completed last. */
function comesBefore(step: StepState, own: StepState, plan: WorkflowPlan): boolean {
  const undo = planOf(plan, step.name).undo;
  if (undo === null || 'none' in undo) return false;
  if (plan.recovery !== null) return plan.recovery.indexOf(step.name) < plan.recovery.indexOf(own.name);
  return step.completedAt !== null && own.completedAt !== null && step.completedAt > own.completedAt;
}
