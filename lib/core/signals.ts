/**
 * What a caller tells a job. It is checked at the door by the schema of the step that waits for it, kept until that step
 * is reached, and becomes its output. The same key again changes nothing, with other words it is refused.
 */
import { type Draft, moveJob, setStep, stepPlan } from './draft.ts';
import type { Decision, JobEvent } from './events.ts';
import { newValue, type StepState } from './job.ts';
import type { WorkflowPlan } from './plan.ts';
import { refused } from './refusal.ts';
import { isTerminal } from './states.ts';

type SignalEvent = Extract<JobEvent, { type: 'signal' }>;
type NotNow = Exclude<Decision, { status: 'changed' }>;

/** Takes the signal in; or says why not, or that it is here already. */
export function takeSignal(draft: Draft, event: SignalEvent): NotNow | null {
  const step = draft.job.steps.find((one) => signalOf(draft, one) === event.signal);
  if (step === undefined) return unknown(draft.plan, event.signal);
  const { received } = step;
  if (received?.key === event.key) {
    return received.print === event.print ? { status: 'ignored', reason: 'duplicate' } : otherPayload(event.signal);
  }
  if (received !== null) return refused(`signal ${event.signal} was received already, under another idempotency key`);
  const gone = tooLate(draft, step, event.signal);
  if (gone !== null) return gone;
  const checked = stepPlan(draft, step).checkOutput(event.payload);
  if (!checked.ok) {
    const where = checked.errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
    const detail = `what was sent does not fit what signal ${event.signal} carries: ${where}`;
    return { status: 'refused', code: 'CONTRACT_INPUT_INVALID', detail, errors: checked.errors };
  }
  const { key, print, actor } = event;
  setStep(draft, step, { received: { key, print, at: draft.context.now, value: newValue(event.payload) } });
  moveJob(draft, 'signal_received', null, { reason: `signal ${event.signal} received`, actor, step: step.name });
  return null;
}

function signalOf(draft: Draft, step: StepState): string | null {
  const { work } = stepPlan(draft, step);
  return work.type === 'signal' ? work.signal : null;
}

function unknown(plan: WorkflowPlan, signal: string): NotNow {
  const known = plan.steps.flatMap(({ work }) => (work.type === 'signal' ? [work.signal] : []));
  const which = known.length === 0 ? 'it waits for none' : `it waits for ${known.join(', ')}`;
  const detail = `workflow ${plan.type} (version ${plan.version}) does not know signal ${signal}: ${which}`;
  return { status: 'refused', code: 'ORCH_UNKNOWN_SIGNAL', detail };
}

function otherPayload(signal: string): NotNow {
  const detail = `the idempotency key was used for signal ${signal} with another payload: send the same, or keep the first`;
  return { status: 'refused', code: 'ORCH_DUPLICATE_IDEMPOTENCY_KEY', detail };
}

function tooLate({ job }: Draft, step: StepState, signal: string): NotNow | null {
  if (isTerminal(job.state)) return refused(`the job has ended as ${job.state}: nobody waits for signal ${signal}`);
  if (job.state === 'COMPENSATING') return refused('the job is being taken back: it waits for no signal any more');
  if (step.status === 'pending' || step.status === 'waiting') return null;
  return refused(`the wait for signal ${signal} is over: step ${step.name} is ${step.status}`);
}
