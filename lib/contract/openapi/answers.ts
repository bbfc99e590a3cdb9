/**
 * What the interface answers with, as schemas: the same shapes as the `wire-*` files make, held to them by their types
 * and, answer by answer, by a test.
 */
import * as z from 'zod';
import { PAUSE_SCOPES } from '../../core/pause.ts';
import { JOB_STATES, OUTCOMES, STEP_STATUSES } from '../../core/states.ts';
import type { Problem } from '../problem.ts';
import { DEAD_LETTER_REASONS, DEAD_LETTER_STATUSES } from '../requests.ts';
import { anyJson } from '../schema.ts';
import type { WireHistoryEntry } from '../wire-history.ts';
import type { WireErrorLogEntry, WireJob, WireOpenEffect } from '../wire-job.ts';
import type { WireCompensation, WireStep } from '../wire-step.ts';
import type { WireSupport } from '../wire-support.ts';

export const time = z.string().meta({ format: 'date-time' });
const textOrNull = z.string().nullable();
const timeOrNull = time.nullable();
const count = z.int().nonnegative();

export const openEffect: z.ZodType<WireOpenEffect> = z.object({
  step: z.string(),
  operation_id: z.string(),
  state: z.enum(['applied', 'unknown', 'undo_failed']),
  since: time,
});

export const problem: z.ZodType<Problem> = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: 'What is wrong and what to do next.' }),
  code: z.string().meta({ description: 'Stable: branch on this.' }),
  job_id: z.string().exactOptional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).exactOptional(),
  open_effects: z.array(openEffect).exactOptional(),
});

export const historyEntry: z.ZodType<WireHistoryEntry> = z.object({
  event_id: z.string(),
  seq: count,
  job_id: z.string(),
  correlation_id: z.string(),
  workflow_type: z.string(),
  from_state: z.enum(JOB_STATES).nullable(),
  to_state: z.enum(JOB_STATES),
  transition_reason: z.string(),
  error_code: z.string().exactOptional(),
  step: z.string().exactOptional(),
  actor: z.string(),
  evidence: z.string().exactOptional(),
  occurred_at: time,
});

export const errorLogEntry: z.ZodType<WireErrorLogEntry> = z.object({
  at: time,
  step: textOrNull,
  attempt: count,
  error_code: z.string(),
  message: z.string(),
  next_attempt_at: time.exactOptional(),
});

const compensation: z.ZodType<WireCompensation> = z.object({
  topic: z.string(),
  status: z.enum(['compensating', 'compensated', 'compensation_failed']),
  operation_id: z.string(),
  attempts: count,
  started_at: time,
  compensated_at: timeOrNull,
  result: anyJson.exactOptional(),
  error_code: textOrNull,
});

const step: z.ZodType<WireStep> = z.object({
  step: z.string(),
  stage: count.nullable(),
  kind: textOrNull,
  topic: textOrNull,
  target: textOrNull,
  status: z.enum(STEP_STATUSES),
  operation_id: z.string(),
  attempts: count,
  may_have_applied: z.boolean(),
  locked_until: timeOrNull,
  deadline_at: timeOrNull,
  started_at: timeOrNull,
  completed_at: timeOrNull,
  next_attempt_at: timeOrNull,
  error_code: textOrNull,
  error_message: textOrNull,
  output: anyJson.exactOptional(),
  compensation: compensation.nullable(),
});

const jobShape = z.object({
  job_id: z.string(),
  correlation_id: z.string(),
  idempotency_key: z.string(),
  input_fingerprint: z.string(),
  caller_id: z.string(),
  source: z.string(),
  workflow_type: z.string(),
  workflow_version: count,
  current_state: z.enum(JOB_STATES),
  outcome: z.enum(OUTCOMES).nullable(),
  created_at: time,
  updated_at: time,
  deadline_at: time,
  next_action_at: timeOrNull,
  retry_count: count,
  max_retries: count,
  last_error_code: textOrNull,
  last_error_message: textOrNull,
  stopped_reason: textOrNull,
  owner_agent: textOrNull,
  locked_until: timeOrNull,
  trace_context: z.object({ traceparent: z.string(), tracestate: z.string().exactOptional() }),
  replay_of: textOrNull,
  replayed_by: z.array(z.string()),
  rerun_of: z.string().exactOptional(),
  recovery_of: textOrNull,
  undone_by: textOrNull,
  parent_job_id: textOrNull,
  children: z.object({ total: count, pending: count, succeeded: count, failed: count }).nullable(),
  input: anyJson.exactOptional(),
  output: anyJson.exactOptional(),
  steps: z.array(step),
  open_effects: z.array(openEffect),
  error_log: z.array(errorLogEntry),
  state_history: z.array(historyEntry),
  revision: count,
});
export const job: z.ZodType<WireJob> = jobShape;

const support: z.ZodType<WireSupport> = z.object({
  state: z.string(),
  summary: z.string(),
  last_confirmed: z.object({ step: z.string(), what: z.string(), at: time }).nullable(),
  pending: z.array(z.object({ step: z.string(), what: z.string(), until: timeOrNull })),
  deadline_at: time,
  next_action_at: timeOrNull,
  stopped_reason: textOrNull,
  safe_actions: z.array(
    z.object({
      action: z.string(),
      step: z.string().exactOptional(),
      resolution: z.string().exactOptional(),
      needs: z.string().exactOptional(),
    }),
  ),
});
export const jobWithSupport = jobShape.extend({ support });

export const deadLetter = z.object({
  dead_letter_id: z.string(),
  job_id: z.string(),
  correlation_id: z.string(),
  workflow_type: z.string(),
  workflow_version: count,
  final_state: z.enum(JOB_STATES),
  reason: z.enum(DEAD_LETTER_REASONS),
  failure_error_code: textOrNull,
  failure_summary: z.string(),
  retry_history: z.array(
    z.object({ step: textOrNull, attempt: count, at: time, error_code: z.string(), next_attempt_at: timeOrNull }),
  ),
  error_log: z.array(errorLogEntry),
  state_history: z.array(historyEntry),
  open_effects: z.array(openEffect),
  payload: anyJson.exactOptional(),
  payload_snapshot_ref: z.string().exactOptional(),
  quarantined_at: time,
  parked_at: time,
  replay_eligible: z.boolean(),
  status: z.enum(DEAD_LETTER_STATUSES),
  replayed_by: textOrNull,
  discarded_by: textOrNull,
  settled_by: z.string().exactOptional(),
  settled_at: time.exactOptional(),
  settled_reason: z.string().exactOptional(),
});

export const auditRecord = z.object({
  audit_id: z.string(),
  at: time,
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  job_id: textOrNull,
  result: z.enum(['done', 'refused']),
  reason: z.string(),
  error_code: textOrNull,
  detail: textOrNull,
});

export const workflowSummary = z.object({
  workflow_type: z.string(),
  versions: z.array(count),
  latest_version: count.nullable(),
  digest: textOrNull,
  topics: z.array(z.string()),
});

/** Of at most so many refused jobs; their number is told. */
export const migration = z.object({
  workflow_type: z.string(),
  from: count,
  to: count,
  dry_run: z.boolean(),
  migrated: count,
  refused_count: count,
  refused: z.array(z.object({ job_id: z.string(), reason: z.string() })),
  more: z.boolean(),
});

/** What a definition says of itself; its members are described where they are made. */
export const workflowDetail = z.looseObject({
  workflow_type: z.string(),
  workflow_version: count,
  versions: z.array(count),
  digest: z.string(),
  topics: z.array(z.string()),
  stages: z.array(z.looseObject({ stage: count, steps: z.array(z.looseObject({ step: z.string() })) })),
});

export const topology = z.object({
  jobs_looked_at: count,
  nodes: z.array(z.object({ id: z.string() })),
  edges: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      topic: textOrNull,
      purpose: z.enum(['submit', 'do', 'undo', 'query']),
      seen: z.enum(['observed', 'unobserved', 'undeclared']),
      calls: count,
      errors: count,
      error_rate: z.number().nullable(),
      p95_ms: z.number().nullable(),
      last_seen: timeOrNull,
    }),
  ),
});

export const graph = z.looseObject({
  workflow_type: z.string(),
  workflow_version: count,
  nodes: z.array(z.looseObject({ id: z.string(), kind: z.string() })),
  edges: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string() })),
});

export const pause = z.object({
  pause_id: z.string(),
  scope: z.enum(PAUSE_SCOPES),
  value: z.string(),
  status: z.enum(['active', 'releasing', 'released']),
  since: time,
  reason: z.string(),
  actor: z.string(),
  waiting_jobs: count,
  release: z.object({ rate_per_second: count, started_at: time, released_jobs: count, failed_calls: count }).nullable(),
  stopped_reason: textOrNull,
  log: z.array(z.object({ at: time, action: z.string(), actor: z.string(), reason: z.string() })),
});
export const releasedPause = pause.extend({
  dry_run: z.literal(true).exactOptional(),
  would_release: count.exactOptional(),
});

export const items = (one: z.ZodType) => z.object({ items: z.array(one) });
/** `next_cursor` goes back as `cursor`; null on the last page. */
export const page = (one: z.ZodType) => z.object({ items: z.array(one), next_cursor: textOrNull });

export const batchAnswer = z.object({
  items: z.array(z.object({ status: z.int(), job: job.exactOptional(), problem: problem.exactOptional() })),
});
