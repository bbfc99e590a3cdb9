/**
 * The language of definitions: `workflow('signup', 1).input(schema).stage(step(...), step(...)).output(mapper)`.
 * Each stage adds its steps' outputs to what later mappers may read, by type; a step does not see its neighbours.
 * `output` finishes: it checks everything said and throws one error that lists all that is wrong.
 */
import type { z } from 'zod';
import type { PolicyOverride, PolicyOverrides } from '../core/errors.ts';
import type { Body } from './body.ts';
import { workflowProblems } from './check-workflow.ts';
import { childWorkflowOf } from './child-step.ts';
import { compile } from './compile.ts';
import { outputOf } from './compile-work.ts';
import type { WorkflowDraft } from './draft.ts';
import type { Duration } from './duration.ts';
import { DefinitionError } from './errors.ts';
import type { Workflow } from './finished.ts';
import type { Seen, Step, StepDraft } from './step.ts';

type Outputs = Readonly<Record<string, unknown>>;
type NoOutputs = Record<never, never>;
type Plus<P, N1 extends string, O1, N2 extends string, O2> = P & { readonly [K in N1]: O1 } & {
  readonly [K in N2]: O2;
};
/** One plain object instead of a pile of intersections: it is what an editor shows. */
type Flat<T> = T extends infer U ? { readonly [K in keyof U]: U[K] } : never;

export interface WorkflowBuilder<S extends z.ZodType, P extends Outputs, T extends string = string> {
  /**
   * Steps that run at the same time, once the stage before is done. Eight abreast; for many alike use a fan-out.
   * They are told apart one by one because only so can each mapper be typed by what the stage offers.
   */
  stage<
    A extends string,
    OA,
    B extends string = never,
    OB = never,
    C extends string = never,
    OC = never,
    D extends string = never,
    OD = never,
    E extends string = never,
    OE = never,
    F extends string = never,
    OF = never,
    G extends string = never,
    OG = never,
    H extends string = never,
    OH = never,
  >(
    a: Step<A, OA, z.output<S>, P>,
    b?: Step<B, OB, z.output<S>, P>,
    c?: Step<C, OC, z.output<S>, P>,
    d?: Step<D, OD, z.output<S>, P>,
    e?: Step<E, OE, z.output<S>, P>,
    f?: Step<F, OF, z.output<S>, P>,
    g?: Step<G, OG, z.output<S>, P>,
    h?: Step<H, OH, z.output<S>, P>,
  ): WorkflowBuilder<S, Flat<Plus<Plus<Plus<Plus<P, A, OA, B, OB>, C, OC, D, OD>, E, OE, F, OF>, G, OG, H, OH>>, T>;
  /** Which undo comes first: every step with an undo, once. Default: last completed first. */
  recovery(...steps: (keyof P & string)[]): WorkflowBuilder<S, P, T>;
  /** Undo everything at once instead of one after another. */
  concurrentUndo(): WorkflowBuilder<S, P, T>;
  /** How long a job may go forward. Default `'24 h'`. */
  deadline(duration: Duration): WorkflowBuilder<S, P, T>;
  /** How long a rollback may take before a person is called. Default `'24 h'`. */
  undoDeadline(duration: Duration): WorkflowBuilder<S, P, T>;
  /** Retries of all steps of a job together. Default 20. */
  maxRetries(count: number): WorkflowBuilder<S, P, T>;
  /** Retry policies for every step, by error code (`EXT_TIMEOUT`) or prefix (`EXT_`). */
  retry(overrides: PolicyOverrides): WorkflowBuilder<S, P, T>;
  /** Names of the outcome events. Default `<type>:completed` and `<type>:failed`. */
  events(names: { readonly completed?: string; readonly failed?: string }): WorkflowBuilder<S, P, T>;
  /** `'always'` quarantines business refusals too. */
  quarantine(when: 'always' | 'default'): WorkflowBuilder<S, P, T>;
  /** Tries the whole again after a clean rollback whose cause may pass; `maxAttempts` counts the first round too. */
  sagaRetry(policy: PolicyOverride): WorkflowBuilder<S, P, T>;
  /** What a duplicate of a failed, cleanly rolled back job gets: its answer (default), or another run as a linked job. */
  onFailed(answer: 'return' | 'rerun'): WorkflowBuilder<S, P, T>;
  /** What a completed job answers. Finishes the definition; throws `DefinitionError` when it is refused. */
  output<R extends Body>(map: (seen: Seen<z.output<S>, P>) => R): Workflow<S, P, R, T>;
}

export interface WorkflowStart<T extends string> {
  /** What a job is submitted with. Strict objects refuse fields that nobody reads. */
  input<S extends z.ZodType>(schema: S): WorkflowBuilder<S, NoOutputs, T>;
}

export function workflow<const T extends string>(type: T, version: number): WorkflowStart<T> {
  return {
    input: (schema) => builder(schema, { type, version, input: schema, stages: [], output: () => null }),
  };
}

function builder<S extends z.ZodType, P extends Outputs, T extends string>(
  input: S,
  draft: WorkflowDraft,
): WorkflowBuilder<S, P, T> {
  const next = (said: Partial<WorkflowDraft>): WorkflowBuilder<S, P, T> => builder(input, { ...draft, ...said });
  return {
    stage: (...steps) => builder(input, { ...draft, stages: [...draft.stages, draftsOf(steps)] }),
    recovery: (...recovery) => next({ recovery }),
    concurrentUndo: () => next({ concurrentUndo: true }),
    deadline: (deadline) => next({ deadline }),
    undoDeadline: (undoDeadline) => next({ undoDeadline }),
    maxRetries: (maxRetries) => next({ maxRetries }),
    retry: (retry) => next({ retry }),
    events: (events) => next({ events }),
    quarantine: (quarantine) => next({ quarantine }),
    sagaRetry: (sagaRetry) => next({ sagaRetry }),
    onFailed: (onFailed) => next({ onFailed }),
    output: (output) => finish(input, { ...draft, output: output as WorkflowDraft['output'] }),
  };
}

function draftsOf(steps: readonly ({ readonly draft: StepDraft } | undefined)[]): StepDraft[] {
  return steps.flatMap((one) => (one === undefined ? [] : [one.draft]));
}

function finish<S extends z.ZodType, P, R, T extends string>(input: S, draft: WorkflowDraft): Workflow<S, P, R, T> {
  const problems = workflowProblems(draft);
  if (problems.length > 0) throw new DefinitionError(problems);
  const outputs = Object.fromEntries(draft.stages.flat().map((step) => [step.name, outputOf(step)]));
  const children = draft.stages.flat().flatMap((step) => childWorkflowOf(step) ?? []);
  return { plan: compile(draft), input, outputs, ...(children.length === 0 ? {} : { children }) };
}
