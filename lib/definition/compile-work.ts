/**
 * What a step does, compiled: a call, or a wait with its end. Functions of the definition are wrapped so that their
 * failures name the step.
 */
import * as z from 'zod';
import type { EpochMs } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { ChildrenWork, LaterPlan, MappingContext, StepPlan, StepWork, TimeoutPlan } from '../core/plan.ts';
import { toJson } from './body.ts';
import { compilePolicy, GATHERED } from './child-step.ts';
import { millis } from './duration.ts';
import { runMapper } from './errors.ts';
import type { ChildrenDraft, StepDraft } from './step.ts';

/** @param call what its children call; null: they are jobs of a workflow, or there are none */
export function compileWork(where: string, step: StepDraft, call: StepPlan | null): StepWork {
  const { waits } = step;
  if (step.children !== undefined) return compileChildren(where, step.children, call);
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

function compileChildren(where: string, children: ChildrenDraft, call: StepPlan | null): ChildrenWork {
  const { of, single, concurrency = CONCURRENCY, policy, initial, merge } = children;
  const items = children.items as (seen: MappingContext) => readonly unknown[];
  const reduce = merge as (merged: unknown, output: unknown, index: number) => unknown;
  const understood = (output: Json): unknown => {
    const checked = call?.checkOutput(output);
    return checked?.ok === true ? checked.value : output;
  };
  return {
    type: 'children',
    child: 'call' in of ? { kind: 'call', call: must(call) } : { kind: 'workflow', ...typeOf(of.workflow.plan) },
    single,
    concurrency,
    policy: compilePolicy(policy),
    items: (seen) =>
      runMapper(where, 'the input mapper of its children', () => items(seen).map((item) => toJson(item))),
    initial: () => initial,
    merge: (merged, output, index) => runMapper(where, 'its merge', () => reduce(merged, understood(output), index)),
    result: (merged) => runMapper(where, 'what its merge', () => toJson(merged)),
  };
}

const CONCURRENCY = LIMITS.childrenConcurrencyDefault;

function typeOf({ type, version }: { readonly type: string; readonly version: number }) {
  return { type, version };
}

function must(call: StepPlan | null): StepPlan {
  if (call === null) throw new Error('children that call were compiled without their call');
  return call;
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
export function outputOf({ output, waits, children }: StepDraft): z.ZodType {
  if (children !== undefined) return children.single ? z.unknown() : GATHERED;
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
