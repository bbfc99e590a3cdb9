/** What comes out of the language: a definition that has been checked, with the types that its users take from it. */
import type { z } from 'zod';
import type { WorkflowPlan } from '../core/plan.ts';

declare const types: unique symbol;

/** A finished definition: the plan for the engine, the schemas for documents, the types for a client. */
export interface Workflow<S extends z.ZodType = z.ZodType, P = unknown, R = unknown, T extends string = string> {
  readonly plan: WorkflowPlan;
  readonly input: S;
  /** What each step answers, by step name. */
  readonly outputs: Readonly<Record<string, z.ZodType>>;
  /** Workflows that its steps start jobs of; absent where there are none. */
  readonly children?: readonly Workflow[];
  readonly [types]?: { readonly outputs: P; readonly output: R; readonly type: T };
}

/** Its type's name, by which a client picks it. */
export type TypeOf<W extends Workflow> = NonNullable<W[typeof types]>['type'];
/** What a caller submits. */
export type InputOf<W extends Workflow> = z.input<W['input']>;
/** What a completed job answers. */
export type OutputOf<W extends Workflow> = NonNullable<W[typeof types]>['output'];
/** What the steps answer, by step name. */
export type OutputsOf<W extends Workflow> = NonNullable<W[typeof types]>['outputs'];
