/** What dacapo says about itself, in the order in which a reader needs it. */

import type { Part } from './document.ts';
import { duplicates } from './duplicates.ts';
import { answers, errorMatrix, retryPlan } from './errors.ts';
import { quarantine } from './quarantine.ts';
import { jobStates, stepStates } from './states.ts';

export type { Part } from './document.ts';
export { type GraphNode, graphOf, type SagaGraph } from './graph.ts';
export { markdown, mermaid } from './markdown.ts';
export { saga, sagaDrawing } from './saga.ts';
export { sagaSvg } from './saga-svg.ts';

/** The rules that hold for every workflow. */
export function rules(): Part[] {
  return [jobStates(), stepStates(), answers(), errorMatrix(), retryPlan(), duplicates(), quarantine()];
}
