/**
 * A workflow on its way from what a team wrote to a plan: everything said so far, with types forgotten and nothing
 * checked. Checking and compiling both read this, so neither depends on how the language looks.
 */
import type { z } from 'zod';
import type { PolicyOverride, PolicyOverrides } from '../core/errors.ts';
import type { MappingContext } from '../core/plan.ts';
import type { StepDraft } from './step.ts';

export interface WorkflowDraft {
  readonly type: string;
  readonly version: number;
  readonly input: z.ZodType;
  readonly stages: readonly (readonly StepDraft[])[];
  readonly recovery?: readonly string[];
  readonly concurrentUndo?: boolean;
  readonly deadline?: string;
  readonly undoDeadline?: string;
  readonly maxRetries?: number;
  readonly retry?: PolicyOverrides;
  readonly events?: { readonly completed?: string; readonly failed?: string };
  readonly quarantine?: 'always' | 'default';
  readonly sagaRetry?: PolicyOverride;
  readonly onFailed?: 'return' | 'rerun';
  output(seen: MappingContext): unknown;
}

/** Names of the outcome events, by default after the workflow itself. */
export function eventsOf(draft: WorkflowDraft): { readonly completed: string; readonly failed: string } {
  return { completed: `${draft.type}:completed`, failed: `${draft.type}:failed`, ...draft.events };
}
