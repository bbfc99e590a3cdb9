/**
 * A workflow definition as the core sees it: what to call, in which order, under which rules. Built and checked by
 * `definition/`; mappers are pure functions of the job's input and of earlier outputs.
 */
import type { PolicyOverrides, RetryPolicy } from './errors.ts';
import type { Json } from './json.ts';

export type StepKind = 'readOnly' | 'compensatable' | 'irreversible';
export type OnUnknown = 'retry' | 'query' | 'compensate' | 'review';

/** What mappers see. `outputs` holds every step that succeeded so far, by name. */
export interface MappingContext {
  readonly input: unknown;
  readonly outputs: Readonly<Record<string, unknown>>;
}

export interface FieldError {
  /** JSON pointer into the document. */
  readonly path: string;
  readonly message: string;
}

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export interface UndoPlan {
  /** Every topic that `choose` may answer; one for most steps. */
  readonly topics: readonly string[];
  /** Picks the topic by the forward output, which is null when it is not known. */
  choose(output: Json | null): string;
  /** null: the undo is sent `{input, output}`. */
  readonly map: ((input: Json, output: Json | null) => Json) | null;
  readonly timeoutMs: number;
  readonly retry: Partial<RetryPolicy>;
}

export interface NoUndo {
  readonly none: string;
}

export interface StepPlan {
  readonly name: string;
  readonly stage: number;
  readonly kind: StepKind;
  readonly topic: string;
  readonly timeoutMs: number;
  readonly retry: PolicyOverrides;
  readonly onUnknown: OnUnknown;
  readonly query: { readonly topic: string } | null;
  /** null for readOnly steps: they have no effect. */
  readonly undo: UndoPlan | NoUndo | null;
  map(context: MappingContext): Json;
  checkOutput(body: Json): Checked;
}

export interface WorkflowPlan {
  readonly type: string;
  readonly version: number;
  readonly digest: string;
  /** In order of definition; `stage` is not decreasing. */
  readonly steps: readonly StepPlan[];
  readonly stages: number;
  /** Step names in the order in which they are undone; null: last completed first. */
  readonly recovery: readonly string[] | null;
  readonly concurrentUndo: boolean;
  readonly deadlineMs: number;
  readonly undoDeadlineMs: number;
  readonly maxRetries: number;
  readonly retry: PolicyOverrides;
  readonly events: { readonly completed: string; readonly failed: string };
  readonly quarantine: 'always' | 'default';
  /** How often the whole is tried again after a clean rollback; null: never. */
  readonly sagaRetry: RetryPolicy | null;
  /** What a duplicate of a failed job gets: its answer, or another run. */
  readonly onFailed: 'return' | 'rerun';
  checkInput(input: Json): Checked;
  output(context: MappingContext): Json;
}

export function hasUndo(step: StepPlan): step is StepPlan & { readonly undo: UndoPlan } {
  return step.undo !== null && !('none' in step.undo);
}

/** Where a topic leads. `fencing`: an undo that overtakes its forward call keeps that call from applying. */
export interface Route {
  readonly target: string;
  readonly fencing: boolean;
  /** The longest a call can still be at work after we stopped listening. */
  readonly maxRunMs: number;
}
