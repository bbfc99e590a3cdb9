/** What a team writes definitions with. */
export type { Body } from './body.ts';
export { child, type FailedChild, fanOut, type Gathered } from './child-step.ts';
export type { Duration } from './duration.ts';
export { DefinitionError, MappingError } from './errors.ts';
export type { InputOf, OutputOf, OutputsOf, TypeOf, Workflow } from './finished.ts';
export { type Registry, registry } from './registry.ts';
export { none, type Step, step } from './step.ts';
export { type Approval, approval, signal, sleep, until, when } from './wait-step.ts';
export { workflow } from './workflow.ts';
