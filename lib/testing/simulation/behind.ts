/** What lies behind the gates of all invocations: time, stores, mail and participants, and who is told of every call. */
import type { Answer } from '../../core/answers.ts';
import type { CallEnvelope, Ids, Log, Ports } from '../../ports.ts';
import type { Chance } from './chance.ts';
import type { CallName, CallSite, Fault, FaultPlan } from './faults.ts';
import type { Invocation } from './invocation.ts';
import type { JobIndex } from './job-index.ts';
import type { Mail } from './mail.ts';
import type { Timeline } from './timeline.ts';

export interface Behind {
  readonly time: Timeline;
  readonly stores: Pick<
    Ports,
    | 'jobs'
    | 'values'
    | 'claims'
    | 'dependencies'
    | 'deadLetters'
    | 'audit'
    | 'pauses'
    | 'schedules'
    | 'bus'
    | 'signer'
    | 'changes'
  >;
  readonly index: JobIndex;
  readonly mail: Mail;
  readonly ids: Ids;
  readonly log: Log;
  readonly faults: FaultPlan;
  /** Of how long things take. */
  readonly chance: Chance;
  /** Makes the call for real, at the participant, in whatever time it takes. */
  deliver(envelope: CallEnvelope): Promise<Answer>;
  /** The longest that a call to this participant may be on its way. */
  transitMsMax(envelope: CallEnvelope): number;
  /** Told of every call to a participant before it is made. */
  calling(by: Invocation, envelope: CallEnvelope): void;
  /** Told when its answer has come to whoever called. */
  answered(envelope: CallEnvelope): void;
  /** Told when a call is on its way; the answer is to be called when it lands. */
  sent(envelope: CallEnvelope): () => void;
  /** Told of every call before it is made; answers its place in the run. */
  called(by: Invocation, name: CallName, about: string | null): CallSite;
  /** Told of every fault as it happens. */
  fired(site: CallSite, fault: Fault): void;
}
