/**
 * Steps that have jobs of their own do the work: one for each item of a list, or one workflow. What a child is, a call or
 * a workflow, decides whether its effect can be taken back; whether the step succeeds with some of them failed is the
 * policy's. Results are merged in the order of the items, by a pure function, once all have ended.
 */
import * as z from 'zod';
import type { ChildPolicy } from '../core/plan.ts';
import type { Body } from './body.ts';
import type { Workflow } from './finished.ts';
import type { ChildrenDraft, Policy, Seen, Step, StepDraft, StepSpec } from './step.ts';

type Outputs = Readonly<Record<string, unknown>>;

/** A child that did not succeed. */
export type FailedChild = {
  readonly index: number;
  readonly job_id: string;
  readonly error_code: string;
};

/** What a fan-out comes to. */
export interface Gathered<R> {
  readonly result: R;
  /** In the order of the items; empty when all succeeded. */
  readonly failed_children: readonly FailedChild[];
}

interface EveryFanOut<I, P, T, B, O, R> {
  /** One child for each item. None is no failure: the step is done at once. */
  readonly over: (seen: Seen<I, P>) => readonly T[];
  readonly input: (item: T, seen: Seen<I, P>) => B;
  /** How many run at once. Default 20. */
  readonly concurrency?: number;
  readonly policy?: Policy;
  readonly initial: R;
  /** Pure; called for one child after the other, in the order of the items. */
  readonly merge: (merged: R, output: O, index: number) => R;
}

type CallRules<B, O> = Pick<
  StepSpec<never, never, B, O>,
  'topic' | 'output' | 'timeout' | 'retry' | 'later' | 'readOnly' | 'undo' | 'onUnknown' | 'query'
>;

export type FanOutOfCalls<I, P, T, B, O, R> = EveryFanOut<I, P, T, B, O, R> & CallRules<B, O>;

export interface FanOutOfWorkflows<I, P, T, S extends z.ZodType, O, R> extends EveryFanOut<I, P, T, z.input<S>, O, R> {
  readonly workflow: Workflow<S, unknown, O>;
}

/** A child for each item: a call of the topic, or a job of the workflow. */
export function fanOut<const N extends string, I, P extends Outputs, T, S extends z.ZodType, O, R extends Body>(
  name: N,
  spec: FanOutOfWorkflows<I, P, T, S, O, R>,
): Step<N, Gathered<R>, I, P>;
export function fanOut<const N extends string, I, P extends Outputs, T, B extends Body, O, R extends Body>(
  name: N,
  spec: FanOutOfCalls<I, P, T, B, O, R>,
): Step<N, Gathered<R>, I, P>;
export function fanOut(name: string, spec: object): { readonly draft: StepDraft } {
  const { over, input, concurrency, policy, initial, merge, workflow, ...call } = spec as AnyFanOut;
  const children: ChildrenDraft = {
    items: (seen) => over(seen).map((item) => input(item, seen)),
    functions: { over, input, merge, initial },
    concurrency,
    policy: policy ?? 'compensate',
    initial,
    merge,
    single: false,
    of: workflow === undefined ? { call: { ...(call as Partial<StepDraft>), name, input: () => null } } : { workflow },
  };
  return { draft: childrenDraft(name, children) };
}

export interface ChildSpec<I, P, S extends z.ZodType, R> {
  readonly workflow: Workflow<S, unknown, R>;
  readonly input: (seen: Seen<I, P>) => z.input<S>;
}

/** One job of another workflow; its output is the step's, and so is its failure. */
export function child<const N extends string, I, P extends Outputs, S extends z.ZodType, R>(
  name: N,
  { workflow, input }: ChildSpec<I, P, S, R>,
): Step<N, R, I, P> {
  const children: ChildrenDraft = {
    items: (seen) => [input(seen as Seen<I, P>)],
    functions: { input },
    concurrency: 1,
    policy: 'compensate',
    initial: null,
    merge: (_none, output) => output,
    single: true,
    of: { workflow },
  };
  return { draft: childrenDraft(name, children) };
}

interface AnyFanOut {
  readonly over: (seen: never) => readonly unknown[];
  readonly input: (item: unknown, seen: never) => unknown;
  readonly concurrency?: number;
  readonly policy?: Policy;
  readonly initial: unknown;
  readonly merge: (merged: never, output: never, index: number) => unknown;
  readonly workflow?: Workflow;
}

/** How the step itself can be taken back follows from what its children are. */
function childrenDraft(name: string, children: ChildrenDraft): StepDraft {
  const draft: StepDraft = { name, children, input: () => null };
  if ('call' in children.of) {
    const { readOnly, undo } = children.of.call;
    return { ...draft, ...(readOnly === undefined ? {} : { readOnly }), ...(undo === undefined ? {} : { undo }) };
  }
  const kinds = new Set(children.of.workflow.plan.steps.map(({ kind }) => kind));
  if (kinds.has('irreversible')) return { ...draft, irreversible: true };
  return kinds.has('compensatable') ? { ...draft, undo: TAKEN_BACK } : { ...draft, readOnly: true };
}

/** A job of its own takes children back: no topic is called for it here. */
export const TAKEN_BACK = { topics: [] as readonly string[] };

export const GATHERED = z.object({
  result: z.unknown(),
  failed_children: z.array(z.object({ index: z.int(), job_id: z.string(), error_code: z.string() })),
});

export function compilePolicy(policy: Policy): ChildPolicy {
  if (policy === 'compensate' || policy === 'cancel') return { type: policy };
  if ('partial' in policy) return { type: 'partial', atLeast: policy.partial.atLeast };
  const { tolerate } = policy;
  if (typeof tolerate === 'number') return { type: 'tolerate', count: tolerate };
  return { type: 'tolerate', percent: Number(tolerate.slice(0, -1)) };
}

/** The workflow whose jobs are a step's children. */
export function childWorkflowOf({ children }: StepDraft): Workflow | undefined {
  return children !== undefined && 'workflow' in children.of ? children.of.workflow : undefined;
}
