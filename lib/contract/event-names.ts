/** Tells events that a step has sent from those about jobs. */
export const STEP_EVENT_SOURCE = 'dacapo.step';
