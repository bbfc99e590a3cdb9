/**
 * A step as a team writes it. Its kind shows in what it declares: `readOnly`, `irreversible`, or an `undo`. What its
 * mapper may read is given by the stage it is put into, so a step standing alone knows nothing of the workflow.
 * A stage checks the types; `check-step.ts` checks what types cannot say.
 */
import type { z } from 'zod';
import type { PolicyOverrides, RetryPolicy } from '../core/errors.ts';
import type { MappingContext, NoUndo, OnUnknown } from '../core/plan.ts';
import type { Body } from './body.ts';
import type { Duration } from './duration.ts';
import type { Workflow } from './finished.ts';

/** What a mapper is given: the workflow's input, and the outputs of earlier stages by step name. */
export interface Seen<I, P> {
  readonly input: I;
  readonly outputs: P;
}

/** What an undo is about. `output` is null when the forward call's answer never came or was not understood. */
export interface Done<B, O> {
  readonly input: B;
  readonly output: O | null;
}

interface UndoRules<B, O> {
  /** Default: the participant is sent `{ input, output }`. */
  readonly input?: (done: Done<B, O>) => Body;
  readonly timeout?: Duration;
  readonly retry?: Partial<RetryPolicy>;
}

export interface UndoByTopic<B, O> extends UndoRules<B, O> {
  readonly topic: string;
}

/** Cancel or refund: which one is right shows in what the step had answered. */
export interface UndoByChoice<B, O> extends UndoRules<B, O> {
  readonly topics: readonly string[];
  readonly choose: (output: O | null) => string;
}

/** A participant may answer `accepted` and tell the result later, with the token it was given. */
export interface Later {
  /** How long it may take. */
  readonly within: Duration;
  /** How often it has to say that it is at work; one that is silent for longer is lost, and is called again. */
  readonly heartbeat?: Duration;
}

interface EveryStep<I, P, B, O> {
  readonly topic: string;
  readonly later?: Later;
  /** The body of the call. */
  readonly input: (seen: Seen<I, P>) => B;
  /** What the participant answers, and later mappers read. */
  readonly output: z.ZodType<O>;
  /** How long one call may take. Default `'10 s'`. */
  readonly timeout?: Duration;
  /** Overrides by error code (`EXT_TIMEOUT`) or prefix (`EXT_`). */
  readonly retry?: PolicyOverrides;
}

export interface ReadOnlyStep<I, P, B, O> extends EveryStep<I, P, B, O> {
  readonly readOnly: true;
  readonly irreversible?: never;
  readonly undo?: never;
  readonly onUnknown?: never;
  readonly query?: never;
}

export interface CompensatableStep<I, P, B, O> extends EveryStep<I, P, B, O> {
  /** The topic that takes the effect back, or `none('why there is nothing to take back')`. */
  readonly undo: string | UndoByTopic<B, O> | UndoByChoice<B, O> | NoUndo;
  /** What follows when nobody knows whether the call took effect. Default `'retry'`. */
  readonly onUnknown?: OnUnknown;
  /** The topic that tells whether an operation took effect. */
  readonly query?: string;
  readonly readOnly?: never;
  readonly irreversible?: never;
}

export interface IrreversibleStep<I, P, B, O> extends EveryStep<I, P, B, O> {
  readonly irreversible: true;
  readonly onUnknown?: Exclude<OnUnknown, 'compensate'>;
  readonly query?: string;
  readonly readOnly?: never;
  readonly undo?: never;
}

export type StepSpec<I, P, B, O> =
  | ReadOnlyStep<I, P, B, O>
  | CompensatableStep<I, P, B, O>
  | IrreversibleStep<I, P, B, O>;

/** What a step waits for that is no participant's answer. */
export type Waits =
  | { readonly type: 'sleep'; readonly span: string }
  | { readonly type: 'until'; readonly moment: (seen: MappingContext) => Date }
  | {
      readonly type: 'signal';
      readonly signal: string;
      readonly within: string;
      readonly onTimeout: { readonly fail: string } | { readonly output: unknown };
    }
  | {
      readonly type: 'approval';
      readonly expires: string;
      readonly onExpiry: 'approved' | 'declined' | 'fail';
      readonly onDecline: 'fail' | 'continue';
      readonly remind: string | undefined;
    };

/** How many may fail. Default `'compensate'`: none, and what the others did is taken back. */
export type Policy =
  | 'compensate'
  /** As `compensate`, and the first failure tells the others to stop. */
  | 'cancel'
  | { readonly partial: { readonly atLeast: number } }
  /** A number of children, or a share of them: `2`, `'10%'`. */
  | { readonly tolerate: number | `${number}%` };

/** A step's children with their types forgotten, as checking and compiling see them. */
export interface ChildrenDraft {
  readonly items: (seen: never) => readonly unknown[];
  /** As written, for the digest. */
  readonly functions: Readonly<Record<string, unknown>>;
  readonly concurrency: number | undefined;
  readonly policy: Policy;
  readonly initial: unknown;
  readonly merge: (merged: never, output: never, index: number) => unknown;
  readonly single: boolean;
  readonly of: { readonly call: StepDraft } | { readonly workflow: Workflow };
}

/** A step with its types forgotten, as checking and compiling see it. */
export interface StepDraft {
  readonly name: string;
  /** undefined where nobody is called. */
  readonly topic?: string | undefined;
  /** undefined where the step itself says what comes out: a moment nothing, a person a decision. */
  readonly output?: z.ZodType | undefined;
  /** undefined: a call. */
  readonly waits?: Waits;
  readonly later?: { readonly within: string; readonly heartbeat?: string };
  /** undefined: it does what it does by itself. */
  readonly children?: ChildrenDraft;
  readonly when?: (seen: MappingContext) => boolean;
  readonly readOnly?: boolean;
  readonly irreversible?: boolean;
  readonly undo?: string | UndoDraft | NoUndo;
  readonly timeout?: string;
  readonly retry?: PolicyOverrides;
  readonly onUnknown?: OnUnknown;
  readonly query?: string;
  input(seen: MappingContext): unknown;
}

export interface UndoDraft {
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly timeout?: string;
  readonly retry?: Partial<RetryPolicy>;
  choose?(output: unknown): string;
  input?(done: Done<unknown, unknown>): unknown;
}

declare const types: unique symbol;

/** A step on its way into a stage that offers at least the input and the outputs it reads. */
export interface Step<N extends string, O, I, P> {
  readonly draft: StepDraft;
  readonly [types]?: { readonly name: N; readonly output: O; readonly reads: (seen: Seen<I, P>) => void };
}

export function step<const N extends string, I, P extends Readonly<Record<string, unknown>>, B extends Body, O>(
  name: N,
  spec: StepSpec<I, P, B, O>,
): Step<N, O, I, P> {
  return { draft: { ...spec, name } };
}

/** Says that an effect needs no undo, and why: the next reader will ask. */
export function none(why: string): NoUndo {
  return { none: why };
}

/** The undo of a step in one form, whatever way it was written. */
export function undoOf(draft: StepDraft): UndoDraft | NoUndo | null {
  if (draft.undo === undefined) return null;
  return typeof draft.undo === 'string' ? { topic: draft.undo } : draft.undo;
}

export function undoTopicsOf(undo: UndoDraft): readonly string[] {
  return undo.topics ?? (undo.topic === undefined ? [] : [undo.topic]);
}
