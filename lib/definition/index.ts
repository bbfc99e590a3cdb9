/** What a team writes definitions with. */
export type { Body } from './body.ts';
export type { Duration } from './duration.ts';
export { DefinitionError, MappingError } from './errors.ts';
export { type Registry, registry } from './registry.ts';
export { none, type Step, step } from './step.ts';
export { type Approval, approval, signal, sleep, until, when } from './wait-step.ts';
export { type InputOf, type OutputOf, type OutputsOf, type TypeOf, type Workflow, workflow } from './workflow.ts';
