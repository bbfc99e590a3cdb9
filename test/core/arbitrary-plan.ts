/** Any workflow that the definition language would let through, with the routes its topics lead to. */
import fc from 'fast-check';
import { SAGA_POLICY } from '../../lib/core/errors.ts';
import {
  CALL,
  type OnUnknown,
  type StepKind,
  type StepPlan,
  type StepWork,
  type WorkflowPlan,
} from '../../lib/core/plan.ts';
import { DAY, MINUTE, queryOf, type RuleOptions, SECOND, step, undoBy, workflow } from './support.ts';

export interface Trial {
  readonly plan: WorkflowPlan;
  readonly options: RuleOptions;
}

interface StepSpec {
  readonly kind: 'readOnly' | 'undoable' | 'none';
  readonly onUnknown: OnUnknown;
  readonly hasQuery: boolean;
  readonly fencing: boolean;
  readonly fewAttempts: boolean;
  readonly mapFails: boolean;
  readonly choosesUndo: boolean;
  readonly work: keyof typeof WORKS;
  readonly guard: 'none' | 'yes' | 'no';
}

const wait = { type: 'signal', withinMs: 5 * SECOND } as const;
const asks = { type: 'approval', withinMs: 5 * SECOND, remindEveryMs: SECOND } as const;

/** What a step may do; spans are short, so that a job left alone gets through all of them before its deadline. */
const WORKS = {
  call: CALL,
  later: { type: 'call', later: { withinMs: 5 * MINUTE, heartbeatMs: null } },
  beating: { type: 'call', later: { withinMs: 5 * MINUTE, heartbeatMs: 10 * SECOND } },
  timer: { type: 'timer', due: (_seen, now) => now + 2 * SECOND },
  past: { type: 'timer', due: () => 0 },
  signal: { ...wait, signal: 'word', onTimeout: { output: { word: 'none' } } },
  asked: { ...asks, onExpiry: 'approved', onDecline: 'fail' },
  brought: { ...asks, onExpiry: 'approved', onDecline: 'continue' },
} as const satisfies Record<string, StepWork>;

const seldom = (outOf: number): fc.Arbitrary<boolean> => fc.nat({ max: outOf - 1 }).map((n) => n === outOf - 1);
const kind = fc.constantFrom<StepSpec['kind'][]>('undoable', 'undoable', 'undoable', 'readOnly', 'none');

const spec: fc.Arbitrary<StepSpec> = fc.record({
  kind,
  onUnknown: fc.constantFrom<OnUnknown[]>('retry', 'query', 'compensate', 'review'),
  hasQuery: fc.boolean(),
  fencing: fc.constantFrom(true, true, false),
  fewAttempts: seldom(4),
  mapFails: seldom(40),
  choosesUndo: seldom(5),
  work: fc.constantFrom<StepSpec['work'][]>(
    'call',
    'call',
    'call',
    'call',
    'call',
    'call',
    'later',
    'beating',
    'timer',
    'past',
    'signal',
    'asked',
    'brought',
  ),
  guard: fc.constantFrom<StepSpec['guard'][]>('none', 'none', 'none', 'none', 'none', 'none', 'yes', 'no'),
});

/** What the definition language refuses is turned into the nearest thing that it takes. */
function onUnknownOf({ kind, onUnknown, hasQuery }: StepSpec, irreversible: boolean): OnUnknown {
  if (kind === 'readOnly') return 'retry';
  if (onUnknown === 'query' && !hasQuery) return 'retry';
  if (onUnknown === 'compensate' && (kind === 'none' || irreversible)) return 'review';
  return onUnknown;
}

function toStep(name: string, one: StepSpec, irreversible: boolean): StepPlan {
  const answer = one.guard === 'yes';
  const when = one.guard === 'none' ? null : () => answer;
  const work: StepWork = WORKS[one.work];
  if (work.type === 'call' || irreversible) {
    return { ...toCall(name, one, irreversible), when, work: irreversible ? CALL : work };
  }
  // Signals are told apart by their step.
  const own = work.type === 'signal' ? { ...work, signal: name } : work;
  const topic = one.work === 'brought' ? `${name}:do` : null;
  return step(name, { kind: 'readOnly', work: own, topic, when });
}

function toCall(name: string, one: StepSpec, irreversible: boolean): StepPlan {
  const kinds: Record<StepSpec['kind'], StepKind> = {
    readOnly: 'readOnly',
    undoable: 'compensatable',
    none: 'compensatable',
  };
  const plain = step(name, { kind: irreversible ? 'irreversible' : kinds[one.kind] });
  const asked = one.hasQuery && plain.kind !== 'readOnly';
  const other = undoBy(`${name}:undo`, {
    topics: [`${name}:undo`, `${name}:refund`],
    choose: (output) => (output === null ? `${name}:undo` : `${name}:refund`),
  });
  const undo = one.kind === 'none' && plain.kind === 'compensatable' ? { none: 'nothing to undo' } : plain.undo;
  return {
    ...plain,
    onUnknown: onUnknownOf(one, irreversible),
    query: asked ? queryOf(name) : null,
    retry: one.fewAttempts ? { EXT_: { maxAttempts: 2 } } : {},
    undo: one.choosesUndo && undo !== null && !('none' in undo) ? other : undo,
    map: one.mapFails ? throws : plain.map,
  };
}

const throws = (): never => {
  throw new Error('the mapper failed');
};

/** The irreversible step stands alone in its stage, and what follows it only reads. */
function toStages(specs: readonly (readonly StepSpec[])[], pivotAt: number | null): StepPlan[][] {
  return specs.map((stage, at) => {
    const names = stage.map((_, index) => `s${at}${'abc'[index] ?? 'x'}`);
    if (at === pivotAt) return stage.slice(0, 1).map((one) => toStep(names[0] ?? 'x', one, true));
    const after = pivotAt !== null && at > pivotAt;
    return stage.map((one, index) => toStep(names[index] ?? 'x', after ? { ...one, kind: 'readOnly' } : one, false));
  });
}

export const trial: fc.Arbitrary<Trial> = fc
  .record({
    specs: fc.array(fc.array(spec, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    pivotAt: fc.option(fc.nat({ max: 3 }), { freq: 1 }),
    order: fc.constantFrom('default', 'default', 'declared', 'concurrent'),
    shuffle: fc.nat(),
    maxRetries: fc.constantFrom(0, 1, 3, 20),
    deadlineMs: fc.constantFrom(30 * SECOND, 10 * MINUTE, DAY, DAY, DAY),
    undoDeadlineMs: fc.constantFrom(MINUTE, DAY),
    quarantine: fc.constantFrom<WorkflowPlan['quarantine'][]>('default', 'always'),
    sagaRetry: fc.constantFrom(null, null, SAGA_POLICY),
    outputFails: seldom(30),
    jitter: fc.constantFrom<('none' | 'full')[]>('none', 'full'),
  })
  .map(({ specs, pivotAt, order, shuffle, outputFails, jitter, ...over }) => {
    const stages = toStages(specs, pivotAt);
    const undoable = stages.flat().filter((one) => one.undo !== null && !('none' in one.undo));
    const names = undoable.map((one) => one.name);
    const turnAt = names.length === 0 ? 0 : shuffle % names.length;
    const plain = workflow(stages);
    const plan = workflow(stages, {
      ...over,
      recovery: order === 'declared' ? [...names.slice(turnAt), ...names.slice(0, turnAt)] : null,
      concurrentUndo: order === 'concurrent',
      output: outputFails ? throws : plain.output,
    });
    const nonFencing = specs.flatMap((stage, at) =>
      stage.flatMap((one, index) => (one.fencing ? [] : [`s${at}${'abc'[index] ?? 'x'}`])),
    );
    return { plan, options: { nonFencing, policies: { EXT_: { jitter } } } };
  });
