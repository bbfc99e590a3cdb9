/**
 * Golden histories: what one version of a workflow did, decision by decision, as the build that released it recorded it.
 * Every later build must read the same stored jobs and decide the same, since jobs of that version may still be on
 * their way. Compared is what shows outside: the way of the job and its steps, and the calls made.
 */
import { jobFromJson, jobToJson } from '../contract/stored-job.ts';
import { type Answer, failure } from '../core/answers.ts';
import { decide } from '../core/decide.ts';
import type { Call, Context, JobEvent, Result, Rules } from '../core/events.ts';
import { FREE } from '../core/gates.ts';
import { jobIdOf } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { newJob } from '../core/new-job.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { driverKindOf, workDueAt } from '../core/schedule.ts';
import { isTerminal } from '../core/states.ts';

export interface Story {
  readonly name: string;
  readonly input: Json;
  /** What each topic answers. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** The first call of this topic ends so; later ones succeed. */
  readonly trouble: { readonly topic: string; readonly end: 'refused' | 'lost' | 'cancelled' } | null;
}

export interface GoldenDecision {
  /** The job before, as it is stored. */
  readonly stored: Json;
  readonly event: JobEvent;
  readonly context: Pick<Context, 'now' | 'random' | 'writeId' | 'nonce' | 'actor'>;
  /** What showed outside. */
  readonly seen: Json;
}

export interface Golden {
  readonly workflow: string;
  readonly version: number;
  readonly stories: readonly { readonly name: string; readonly decisions: readonly GoldenDecision[] }[];
}

/** Where every topic leads to one fencing service, and nothing is held up. */
const RULES: Rules = {
  route: (topic) => ({ target: topic.split(':')[0] ?? topic, fencing: true, maxRunMs: LIMITS.dispatchTimeoutMs }),
  gate: () => FREE,
  policies: {},
  hintGraceMs: LIMITS.hintGraceMs,
  retryPenaltyMs: () => 0,
  livingOwners: null,
};
/** 2027-01-15T08:00:00Z: any moment does, as long as it stays. */
const START = 1_800_000_000_000;
/** Longer than any story: past it the player is stuck. */
const DECISIONS_MAX = 100;

export function record(plan: WorkflowPlan, story: Story): GoldenDecision[] {
  const decisions: GoldenDecision[] = [];
  let now = START;
  const contextOf = (): Golden['stories'][number]['decisions'][number]['context'] => {
    const mark = String(decisions.length).padStart(8, '0');
    return { now, random: 0.5, writeId: `${mark}-golden`, nonce: `nonce-${mark}`, actor: 'orchestrator:golden' };
  };
  let job = firstJob(plan, story, { ...contextOf(), rules: RULES });
  let troubled = false;
  let open: Call[] = [];
  while (!isTerminal(job.state) && job.state !== 'NEEDS_REVIEW') {
    if (decisions.length > DECISIONS_MAX) throw new Error(`${plan.type}: ${story.name} does not come to an end`);
    const call = open.shift();
    const cancels =
      call !== undefined && !troubled && story.trouble?.end === 'cancelled' && call.topic === story.trouble.topic;
    if (call === undefined) now = Math.max(now, workDueAt(job, plan, RULES, now) ?? now);
    const event = cancels
      ? CANCEL
      : call === undefined
        ? turnOf(job)
        : answered(job, call, answerOf(story, call, troubled), now);
    if (cancels && call !== undefined) open.unshift(call);
    troubled ||= call?.topic === story.trouble?.topic;
    const context = contextOf();
    const decision = decide(job, event, plan, { ...context, rules: RULES });
    const stored = JSON.parse(jobToJson(job)) as Json;
    decisions.push({ stored, event, context, seen: seenOf(decision) });
    if (decision.status !== 'changed') continue;
    ({ job } = decision);
    open = [...open, ...decision.calls];
  }
  return decisions;
}

/** What differs, a line each; empty when this build decides as the recording one did. */
export function differences(golden: Golden, plan: WorkflowPlan): string[] {
  return golden.stories.flatMap(({ name, decisions }) =>
    decisions.flatMap(({ stored, event, context, seen }, index) => {
      const job = jobFromJson(JSON.stringify(stored));
      const now = JSON.stringify(seenOf(decide(job, event, plan, { ...context, rules: RULES })));
      const then = JSON.stringify(seen);
      return now === then
        ? []
        : [`${golden.workflow} ${golden.version}, ${name}, decision ${index}: was ${then}, is ${now}`];
    }),
  );
}

const CANCEL: JobEvent = { type: 'cancel', actor: 'caller:golden', reason: 'enough', expectedRevision: null };

function firstJob(plan: WorkflowPlan, { input }: Story, context: Context): Job {
  const submission = {
    jobId: jobIdOf('golden', plan.type, 'key'),
    correlationId: 'golden',
    idempotencyKey: 'key',
    inputFingerprint: 'print',
    callerId: 'golden',
    source: 'api',
    trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: null },
    lineage: {},
    input,
    note: null,
  } as const;
  return newJob(submission, plan, context);
}

function turnOf(job: Job): JobEvent {
  const driver = { kind: driverKindOf(job), owner: 'golden', remainingMs: LIMITS.dispatchTimeoutMs } as const;
  return { type: 'turn', driver };
}

function answered(job: Job, call: Call, answer: Answer, at: number): JobEvent {
  const { step, direction, operationId, attempt } = call;
  const result: Result = { step, direction, operationId, attempt, at, answer };
  const { driver } = turnOf(job) as Extract<JobEvent, { type: 'turn' }>;
  return { type: 'results', results: [result], driver };
}

function answerOf({ outputs, trouble }: Story, call: Call, troubled: boolean): Answer {
  if (!troubled && trouble !== null && call.topic === trouble.topic) {
    if (trouble.end === 'refused') return failure('DQ_REFUSED', 'the participant refused', false);
    if (trouble.end === 'lost') return failure('EXT_TIMEOUT', 'no answer in time', true);
  }
  if (call.direction === 'query') return { kind: 'success', output: { state: 'not_applied' } };
  return { kind: 'success', output: outputs[call.topic] ?? null };
}

function seenOf(decision: ReturnType<typeof decide>): Json {
  if (decision.status === 'ignored') return { ignored: decision.reason };
  if (decision.status === 'refused') return { refused: decision.code };
  const { job, calls } = decision;
  return {
    state: job.state,
    outcome: job.outcome,
    version: job.workflowVersion,
    history: job.history.map(({ seq, from, to, reason, errorCode, step }) => [seq, from, to, reason, errorCode, step]),
    steps: job.steps.map(({ name, status, attempts, mayHaveApplied }) => [name, status, attempts, mayHaveApplied]),
    calls: calls.map(({ step, direction, topic, operationId, attempt, body, fence }) => [
      step,
      direction,
      topic,
      operationId,
      attempt,
      body,
      fence,
    ]),
    output: job.output?.data ?? null,
  };
}
