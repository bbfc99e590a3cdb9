/**
 * A workflow definition as the core sees it: what to call, in which order, under which rules. Built and checked by
 * `definition/`; mappers are pure functions of the job's input and of earlier outputs.
 */
import type { PolicyOverrides, RetryPolicy } from './errors.ts';
import type { EpochMs } from './ids.ts';
import type { Json } from './json.ts';
import type { UndoesChildren } from './relations.ts';

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

/** How long a participant that answers `accepted` may take, and how often it has to say that it is still at work. */
export interface LaterPlan {
  readonly withinMs: number;
  readonly heartbeatMs: number | null;
}

/** What becomes of a wait that nobody ended in time: it fails with a code, or goes on with this output. */
export type TimeoutPlan = { readonly fail: string } | { readonly output: Json };

/** Asks a participant by its topic. */
export interface CallWork {
  readonly type: 'call';
  /** null: the answer itself is the result. */
  readonly later: LaterPlan | null;
}

/** Waits until a moment, which is computed once. */
export interface TimerWork {
  readonly type: 'timer';
  due(context: MappingContext, now: EpochMs): EpochMs;
}

/** Waits until a caller says what it waits for. */
export interface SignalWork {
  readonly type: 'signal';
  readonly signal: string;
  readonly withinMs: number;
  readonly onTimeout: TimeoutPlan;
}

/** Waits for a person. With a topic, that participant brings the link; without, operators decide by job and step. */
export interface ApprovalWork {
  readonly type: 'approval';
  readonly withinMs: number;
  readonly remindEveryMs: number | null;
  readonly onExpiry: 'approved' | 'declined' | 'fail';
  readonly onDecline: 'fail' | 'continue';
}

/** How many children may fail before the step does. What ended well is kept, or undone when the step fails. */
export type ChildPolicy =
  /** None, and the others go on to their ends. */
  | { readonly type: 'compensate' }
  /** None, and the others are told to stop. */
  | { readonly type: 'cancel' }
  /** As many as leave this many that succeeded. */
  | { readonly type: 'partial'; readonly atLeast: number }
  /** This many, or this share of a hundred. */
  | { readonly type: 'tolerate'; readonly count: number }
  | { readonly type: 'tolerate'; readonly percent: number };

/** What one child is. */
export type ChildKind =
  /** One call, planned here: the child is a job of this workflow with that step alone. */
  | { readonly kind: 'call'; readonly call: StepPlan }
  | { readonly kind: 'workflow'; readonly type: string; readonly version: number }
  /** Takes back a child of an earlier set, whose number is the item. */
  | { readonly kind: 'undo'; readonly of: UndoesChildren };

/** Waits for jobs of its own: one, or one for each item. */
export interface ChildrenWork {
  readonly type: 'children';
  readonly child: ChildKind;
  /** One child, whose output and whose error are the step's. */
  readonly single: boolean;
  readonly concurrency: number;
  readonly policy: ChildPolicy;
  /** The input of each child. */
  items(context: MappingContext): readonly Json[];
  initial(context: MappingContext): unknown;
  /** Pure; called for each child that succeeded, in their order. */
  merge(merged: unknown, output: Json, index: number): unknown;
  /** What was merged, as it is stored. */
  result(merged: unknown): Json;
}

export type StepWork = CallWork | TimerWork | SignalWork | ApprovalWork | ChildrenWork;

/** What most steps do. */
export const CALL: StepWork = { type: 'call', later: null };

export interface StepPlan {
  readonly name: string;
  readonly stage: number;
  readonly kind: StepKind;
  readonly work: StepWork;
  /** Asked once, when the stage is entered; false leaves the step out. null: always. */
  readonly when: ((context: MappingContext) => boolean) | null;
  /** null where there is nobody to call. */
  readonly topic: string | null;
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
  /** Fingerprint of each part, by its name: `input`, `output`, `rules`, `order`, `step <name>`. Absent where no team wrote the plan. */
  readonly parts?: Readonly<Record<string, string>>;
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

/** The topic of a step that is about to be called. */
export function topicOf({ name, topic }: StepPlan): string {
  if (topic === null) throw new Error(`step ${name} calls nobody`);
  return topic;
}

/** Every step that calls: the workflow's own, and what its children call. */
export function callingSteps(plan: WorkflowPlan): StepPlan[] {
  return plan.steps.map((step) =>
    step.work.type === 'children' && step.work.child.kind === 'call' ? step.work.child.call : step,
  );
}

/** Every topic that a workflow may address: forward ones first, then undos, then queries. */
export function topicsOf(plan: WorkflowPlan): string[] {
  const steps = callingSteps(plan);
  const forward = steps.flatMap((step) => step.topic ?? []);
  const undo = steps.flatMap((step) => (hasUndo(step) ? step.undo.topics : []));
  const query = steps.flatMap((step) => step.query?.topic ?? []);
  return [...new Set([...forward, ...undo, ...query])];
}

export function hasUndo(step: StepPlan): step is StepPlan & { readonly undo: UndoPlan } {
  return step.undo !== null && !('none' in step.undo);
}

/** How a dependency is asked how it is; answered by every service of the worker kit, without effect. */
export const HEALTH_TOPIC = 'benzene:healthcheck';

/** A participant at one place. `fencing`: an undo that overtakes its forward call keeps that call from applying. */
export interface Target {
  readonly target: string;
  readonly fencing: boolean;
  /** It takes commands and answers on another way; so every call carries a token. */
  readonly answersLater?: boolean;
  /** The longest a call can still be at work after we stopped listening. */
  readonly maxRunMs: number;
  /** What it takes is told and not answered: it can neither be undone nor asked. */
  readonly oneWay?: true;
  /** Called also while its health is degraded, when nothing better is there; absent: yes. */
  readonly allowDegraded?: boolean;
  /** How many calls it may have at once, and begun within a second; absent: see LIMITS. */
  readonly maxConcurrent?: number;
  readonly maxPerSecond?: number;
  /** Parked jobs that it gets back a second; absent: as the limits say. */
  readonly releasePerSecond?: number;
  /** What it is asked how it is by; null: never asked; absent: the topic that every service of the worker kit answers. */
  readonly healthTopic?: string | null;
}

/** Where a topic leads: its target, and those that stand in for it, in order. */
export interface Route extends Target {
  readonly alternatives?: readonly Target[];
}
