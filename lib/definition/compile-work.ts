/**
 * What a step does, compiled: a call, or a wait with its end. Functions of the definition are wrapped so that their
 * failures name the step.
 */
import * as z from 'zod';
import type { EpochMs } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { LaterPlan, StepPlan, StepWork, TimeoutPlan } from '../core/plan.ts';
import { toJson } from './body.ts';
import { millis } from './duration.ts';
import { runMapper } from './errors.ts';
import type { StepDraft } from './step.ts';

export function compileWork(where: string, step: StepDraft): StepWork {
  const { waits } = step;
  switch (waits?.type) {
    case undefined:
      return { type: 'call', later: compileLater(step) };
    case 'sleep': {
      const span = millis(waits.span, 0);
      return { type: 'timer', due: (_seen, now) => now + span };
    }
    case 'until':
      return { type: 'timer', due: (seen) => runMapper(where, 'its moment', () => momentOf(waits.moment(seen))) };
    case 'signal': {
      const onTimeout: TimeoutPlan =
        'fail' in waits.onTimeout ? waits.onTimeout : { output: toJson(waits.onTimeout.output) };
      return { type: 'signal', signal: waits.signal, withinMs: millis(waits.within, LIMITS.waitMsDefault), onTimeout };
    }
    case 'approval': {
      const { onExpiry, onDecline, expires, remind } = waits;
      const remindEveryMs = remind === undefined ? null : millis(remind, LIMITS.waitMsDefault);
      return { type: 'approval', withinMs: millis(expires, LIMITS.waitMsDefault), remindEveryMs, onExpiry, onDecline };
    }
  }
}

export function compileGuard(where: string, { when }: StepDraft): StepPlan['when'] {
  if (when === undefined) return null;
  return (seen) =>
    runMapper(where, 'its guard', () => {
      const wanted: unknown = when(seen);
      if (typeof wanted !== 'boolean')
        throw new Error('it answered neither true nor false; compare with ===, or use !!');
      return wanted;
    });
}

function compileLater({ later }: StepDraft): LaterPlan | null {
  if (later === undefined) return null;
  const heartbeatMs = later.heartbeat === undefined ? null : millis(later.heartbeat, LIMITS.waitMsDefault);
  return { withinMs: millis(later.within, LIMITS.waitMsDefault), heartbeatMs };
}

function momentOf(moment: unknown): EpochMs {
  const at = moment instanceof Date ? moment.getTime() : Number.NaN;
  if (Number.isNaN(at)) throw new Error('it is no valid Date; answer new Date(...)');
  return at;
}

const NOTHING = z.null();
const APPROVAL = z.strictObject({
  decision: z.enum(['approved', 'declined']),
  by: z.string().nullable(),
  comment: z.string().nullable(),
});

/** The schema of what comes out: the one given, or what this kind of wait always says. */
export function outputOf({ output, waits }: StepDraft): z.ZodType {
  switch (waits?.type) {
    case undefined:
    case 'signal':
      if (output === undefined) throw new Error('a step without output schema is refused before');
      return output;
    case 'sleep':
    case 'until':
      return NOTHING;
    case 'approval':
      return APPROVAL;
  }
}
