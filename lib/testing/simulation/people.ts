/**
 * People who act on jobs, at any time, whether it makes sense or not. They tell the truth about effects, as far as
 * anybody outside can know it: they look at the participants first.
 */
import { openEffects } from '../../core/effects.ts';
import type { OperatorAct, Resolution } from '../../core/events.ts';
import { deadLetterIdOf, type JobId } from '../../core/ids.ts';
import { forwardOperationId, type Job, type StepState, undoneOperationId } from '../../core/job.ts';
import type { Json } from '../../core/json.ts';
import { cancel } from '../../operations/cancel.ts';
import { discard } from '../../operations/discard.ts';
import { planFor } from '../../operations/engine.ts';
import { operate } from '../../operations/operate.ts';
import { replay } from '../../operations/replay.ts';
import type { Chance } from './chance.ts';
import type { Ledger } from './ledger.ts';
import type { World } from './world.ts';

type Act = Exclude<OperatorAct['action'], 'approve'>;
export type Deed = Act | 'cancel' | 'replay' | 'discard';

export interface Done {
  readonly jobId: JobId;
  readonly deed: Deed;
  /** Of nobody else's, so it tells what this one did. */
  readonly reason: string;
  readonly end: 'done' | 'refused' | 'unheard';
  /** Whoever did it may not, or had seen another revision: then it must not happen. */
  readonly isWrong: boolean;
}

export interface Person {
  /** Acts on this job; what came of it is kept. */
  act(job: Job, deed: Deed): void;
  readonly done: readonly Done[];
}

export interface PersonOptions {
  readonly name: string;
  readonly world: World;
  readonly ledger: Ledger;
  readonly chance: Chance;
  /** Looks for what is open; others ask about anything. */
  readonly knows: boolean;
  /** How often somebody acts who may not. */
  readonly intrudes: number;
  /** How often what was seen of the job is old by now. */
  readonly stale: number;
}

export function person({ name, world, ledger, chance, knows, intrudes, stale }: PersonOptions): Person {
  const done: Done[] = [];
  let acts = 0;
  return {
    done,
    act: (job, deed) => {
      acts += 1;
      const { jobId } = job;
      const reason = `${name} ${acts}`;
      const isIntruder = chance.often(intrudes);
      // Somebody else, or whoever submitted the job, who may stop it and nothing more.
      const intruder = chance.pick(['stranger', job.callerId]);
      const viewer = isIntruder
        ? ({ callerId: intruder, role: 'submitter' } as const)
        : ({ callerId: name, role: 'operator' } as const);
      const expectedRevision = chance.often(stale) ? job.revision - 1 : null;
      const mayNot = isIntruder && (deed !== 'cancel' || intruder === 'stranger');
      const isWrong = mayNot || (expectedRevision !== null && deed !== 'replay' && deed !== 'discard');
      const act =
        deed === 'cancel' || deed === 'replay' || deed === 'discard'
          ? null
          : actOf(deed, job, { world, ledger, chance, knows });
      const input = chance.often(0.2) ? ({ edited: acts } as Json) : undefined;
      world.start<{ readonly kind: string }>(
        'operate',
        jobId,
        (engine) => {
          const request = { jobId, viewer, reason, expectedRevision };
          if (deed === 'cancel') return cancel(engine, request);
          const deadLetterId = deadLetterIdOf(jobId);
          if (deed === 'replay') return replay(engine, { deadLetterId, viewer, reason, input });
          if (deed === 'discard') return discard(engine, { deadLetterId, viewer, reason });
          return operate(engine, { ...request, evidence: 'looked at it', act: act ?? { action: 'close' } });
        },
        (ending) => {
          const end = ending.end !== 'done' ? 'unheard' : ending.value.kind === 'done' ? 'done' : 'refused';
          done.push({ jobId, deed, reason, end, isWrong });
        },
      );
    },
  };
}

type Eyes = Pick<PersonOptions, 'world' | 'ledger' | 'chance' | 'knows'>;

function actOf(deed: Act, job: Job, eyes: Eyes): OperatorAct {
  if (deed !== 'resolve') return { action: deed };
  const candidates = eyes.knows ? openSteps(job, eyes.world) : job.steps.filter((step) => step.attempts > 0);
  const step = candidates.length === 0 ? undefined : eyes.chance.pick(candidates);
  if (step === undefined) return { action: 'close' };
  const resolution = truthAbout(job, step, eyes);
  // Of what may yet take effect nothing is certain, so nothing is said about it.
  if (resolution === null) return { action: 'close' };
  const output = resolution === 'applied' ? { of: step.name, by: forwardOperationId(job, step) } : undefined;
  return { action: 'resolve', step: step.name, resolution, output };
}

function openSteps(job: Job, { plans }: World): StepState[] {
  const plan = planFor(plans, job);
  const open = plan === undefined ? [] : openEffects(job, plan).map(({ operationId }) => operationId);
  return job.steps.filter((step) => open.includes(forwardOperationId(job, step)));
}

/** What may be said of a step's effect; null when it may yet change. What is to be gone is taken back before it is said. */
function truthAbout(job: Job, step: StepState, { world, ledger, chance }: Eyes): Resolution | null {
  const undone = undoneOperationId(job, step.name);
  const own = undone ?? forwardOperationId(job, step);
  const effect = ledger.all().find(({ operationId }) => operationId === own);
  if (world.witness.isOnItsWay(forwardOperationId(job, step)) || (effect?.atWork ?? 0) > 0) return null;
  const mayTakeBack = job.state === 'NEEDS_REVIEW';
  // The undo that a recovery job makes is its step's effect.
  if (undone !== null) {
    if (mayTakeBack) ledger.takeBackByHand(own);
    return mayTakeBack ? 'applied' : null;
  }
  const isGone = effect?.undone === true || step.status === 'compensation_failed';
  if (effect === undefined || effect.standing === 0) return isGone ? 'compensated' : 'not_applied';
  if (mayTakeBack && (step.status === 'compensation_failed' || step.undo !== null || chance.often(0.5))) {
    ledger.takeBackByHand(own);
    return 'compensated';
  }
  return 'applied';
}
