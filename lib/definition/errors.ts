/**
 * How complaints about a definition name their place, and the two errors that carry them: one for a definition that
 * is refused when it is built, one for a mapper that fails on the data of a job.
 */
export function whereIs(workflow: { readonly type: string; readonly version: number }, step?: string): string {
  const place = `workflow ${workflow.type} (version ${workflow.version})`;
  return step === undefined ? place : `${place}, step ${step}`;
}

/** Everything that is wrong, at once: a definition is corrected in one round. */
export class DefinitionError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'DefinitionError';
    this.problems = problems;
  }
}

export class MappingError extends Error {
  constructor(where: string, what: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : 'something that is no Error was thrown';
    super(`${where}: ${what} failed: ${why}`, { cause });
    this.name = 'MappingError';
  }
}

/** Runs a function of the definition; what it throws comes out with the place it happened at. */
export function runMapper<T>(where: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new MappingError(where, what, cause);
  }
}
