/**
 * The detail of every event that dacapo puts on the bus, as schemas: the same shapes as `wire-event.ts` makes, held to
 * them by a test. Each carries an `event_id` that never changes over repetitions: consumers deduplicate by it.
 */
import * as z from 'zod';
import { JOB_STATES, OUTCOMES } from '../../core/states.ts';
import { historyEntry, openEffect, time } from '../openapi/answers.ts';
import { anyJson } from '../schema.ts';

const common = {
  event_id: z.string().meta({ description: 'The same over every repetition of this event: deduplicate by it.' }),
  job_id: z.string(),
  correlation_id: z.string(),
  workflow_type: z.string(),
  workflow_version: z.int(),
  outcome: z.enum(OUTCOMES).nullable(),
  current_state: z.enum(JOB_STATES),
  occurred_at: time,
  traceparent: z.string(),
  tracestate: z.string().exactOptional(),
};

const why = {
  reason: z.object({
    error_code: z.string().nullable(),
    message: z.string().nullable(),
    step: z.string().nullable(),
  }),
  open_effects: z.array(openEffect),
};

export const completed = z.object({
  ...common,
  output: anyJson.exactOptional(),
  output_ref: z.string().exactOptional().meta({ description: 'In place of an output that is too large: where it is.' }),
});
export const failed = z.object({
  ...common,
  ...why,
  supersedes: z.string().exactOptional().meta({ description: 'The outcome event that this one takes the place of.' }),
});
export const needsReview = z.object({ ...common, ...why });
export const deadLettered = z.object({ ...common, ...why, dead_letter_id: z.string() });
/** Without the token: whoever may decide is sent it another way. */
export const approvalNews = z.object({ ...common, step: z.string().nullable(), expires_at: time.nullable() });
export const transitioned = z.intersection(
  historyEntry,
  z.object({ traceparent: z.string(), tracestate: z.string().exactOptional() }),
);

export interface EventKind {
  readonly summary: string;
  readonly detail: z.ZodType;
}

/** Detail types that are the same for every workflow; outcome events are named by each definition. */
export const EVENT_KINDS = {
  'job.needs_review': { summary: 'A job cannot go on without a person.', detail: needsReview },
  'job.approval_requested': { summary: 'A person is asked to approve.', detail: approvalNews },
  'job.approval_reminder': { summary: 'A person was asked to approve and has not decided.', detail: approvalNews },
  'job.dead_lettered': { summary: 'A job is in quarantine.', detail: deadLettered },
  'job.transitioned': {
    summary: 'A job moved; off unless the deployment asks for these.',
    detail: transitioned,
  },
} as const satisfies Record<string, EventKind>;
