/**
 * Steps that wait and call nobody, or call somebody only to bring a person the link: a moment, a signal, an approval.
 * And the guard that leaves any step out. A wait has no effect, so there is nothing to undo and nothing unknown.
 */
import type { z } from 'zod';
import type { PolicyOverrides } from '../core/errors.ts';
import type { MappingContext } from '../core/plan.ts';
import type { Body } from './body.ts';
import type { Duration } from './duration.ts';
import type { Seen, Step, StepDraft, Waits } from './step.ts';

type Outputs = Readonly<Record<string, unknown>>;

/** Waits for a time span. Its output is null. */
export function sleep<const N extends string, I, P extends Outputs>(name: N, span: Duration): Step<N, null, I, P> {
  return { draft: waitDraft(name, { type: 'sleep', span }) };
}

/** Waits until a moment, computed when the wait begins; one that has passed is no wait. Its output is null. */
export function until<const N extends string, I, P extends Outputs>(
  name: N,
  moment: (seen: Seen<I, P>) => Date,
): Step<N, null, I, P> {
  return { draft: waitDraft(name, { type: 'until', moment: moment as (seen: MappingContext) => Date }) };
}

export interface SignalSpec<O> {
  /** What has to be sent, and later mappers read. What does not fit is refused at the door. */
  readonly output: z.ZodType<O>;
  readonly within: Duration;
  /** An error code with which the step fails, or the output to go on with. Default `{ fail: 'EXT_TIMEOUT' }`. */
  readonly onTimeout?: { readonly fail: string } | { readonly output: O };
  /** The signal's name in `POST /jobs/{job_id}/signals/{name}`. Default: the step's. */
  readonly signal?: string;
}

/** Waits until a caller sends the signal; one that comes before the wait is kept for it. */
export function signal<const N extends string, I, P extends Outputs, O>(
  name: N,
  spec: SignalSpec<O>,
): Step<N, O, I, P> {
  const { output, signal: as = name, within, onTimeout = { fail: 'EXT_TIMEOUT' } } = spec;
  return { draft: { ...waitDraft(name, { type: 'signal', signal: as, within, onTimeout }), output } };
}

/** What a person decided; `by` is null where nobody did and `onExpiry` speaks. */
export interface Approval {
  readonly decision: 'approved' | 'declined';
  readonly by: string | null;
  readonly comment: string | null;
}

interface ApprovalRules {
  /** How long the person has. */
  readonly expires: Duration;
  /** What silence means. Default `'fail'`. */
  readonly onExpiry?: 'approved' | 'declined' | 'fail';
  /** What a no means: the job turns back (default), or goes on and looks at the output. */
  readonly onDecline?: 'fail' | 'continue';
  /** How often the wait is called to mind, by an event. Default: never. */
  readonly remind?: Duration;
}

/** With a topic, that participant brings the person the link and it alone is given the token. */
interface Brought<I, P, B> {
  readonly topic: string;
  readonly input: (seen: Seen<I, P>) => B;
  readonly timeout?: Duration;
  readonly retry?: PolicyOverrides;
}

/** Without one, an operator decides by job and step. */
interface NotBrought {
  readonly topic?: never;
  readonly input?: never;
}

export type ApprovalSpec<I, P, B> = ApprovalRules & (Brought<I, P, B> | NotBrought);

/** Waits for a person's yes or no. */
export function approval<const N extends string, I, P extends Outputs, B extends Body>(
  name: N,
  spec: ApprovalSpec<I, P, B>,
): Step<N, Approval, I, P> {
  const { expires, onExpiry = 'fail', onDecline = 'fail', remind, topic, input, ...how } = spec;
  const waits: Waits = { type: 'approval', expires, onExpiry, onDecline, remind };
  const draft = waitDraft(name, waits);
  if (topic === undefined || input === undefined) return { draft };
  return { draft: { ...draft, ...how, topic, input: input as StepDraft['input'] } };
}

/** Leaves the step out when the guard says no. It is asked once, when the stage is entered. */
export function when<N extends string, O, I, P extends Outputs>(
  guard: (seen: Seen<I, P>) => boolean,
  step: Step<N, O, I, P>,
): Step<N, O | undefined, I, P> {
  return { draft: { ...step.draft, when: guard as NonNullable<StepDraft['when']> } };
}

function waitDraft(name: string, waits: Waits): StepDraft {
  return { name, waits, readOnly: true, input: () => null };
}
