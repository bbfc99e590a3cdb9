/**
 * Steps and workflows that are right but for what a test changes. `raw` builds a step past the types, because most
 * refusals are about definitions that the types already keep out.
 */
import { z } from 'zod';
import { DefinitionError, workflow } from '../../lib/definition/index.ts';
import type { Step, StepDraft } from '../../lib/definition/step.ts';

const right: Omit<StepDraft, 'name'> = {
  topic: 'thing:do',
  undo: 'thing:undo',
  output: z.object({ id: z.string() }),
  input: () => ({}),
};

export function raw<N extends string>(
  name: N,
  changed: Partial<StepDraft> = {},
): Step<N, { id: string }, unknown, unknown> {
  return { draft: { ...right, name, ...changed } };
}

/** The same step without an undo. */
export function bare<N extends string>(
  name: N,
  changed: Partial<StepDraft>,
): Step<N, { id: string }, unknown, unknown> {
  const { undo: _undo, ...rest } = right;
  return { draft: { ...rest, name, ...changed } };
}

export const start = (type = 'trip', version = 1) =>
  workflow(type, version).input(z.strictObject({ city: z.string() }));

/** A workflow of that one step. */
export const only = <N extends string>(step: Step<N, { id: string }, unknown, unknown>) =>
  start()
    .stage(step)
    .output(() => null);

/** What the definition is refused for; a definition that is taken has no problems, and fails the test that expects one. */
export function problemsOf(build: () => unknown): readonly string[] {
  try {
    build();
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
}
