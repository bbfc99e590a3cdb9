import { expect, it } from 'vitest';
import { wireJob } from '../../lib/contract/wire-job.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { JOB_ID, sampleJob } from './sample-job.ts';

const plan = examples.find('signup', 1);

/** In the order and the words of the contract, section 2. */
const JOB_FIELDS =
  'job_id correlation_id idempotency_key input_fingerprint caller_id source workflow_type workflow_version current_state outcome created_at updated_at deadline_at next_action_at retry_count max_retries last_error_code last_error_message stopped_reason owner_agent locked_until trace_context replay_of replayed_by recovery_of undone_by parent_job_id children input output steps open_effects error_log state_history revision';
const STEP_FIELDS =
  'step stage kind topic target status operation_id attempts may_have_applied locked_until deadline_at started_at completed_at next_attempt_at error_code error_message output compensation';
const UNDO_FIELDS = 'topic status operation_id attempts started_at compensated_at result error_code';

it('a job has exactly the fields of the contract', () => {
  const shown = wireJob(sampleJob, plan);
  expect(Object.keys(shown)).toEqual(JOB_FIELDS.split(' '));
  expect(Object.keys(shown.steps[0] ?? {})).toEqual(STEP_FIELDS.split(' '));
  expect(Object.keys(shown.steps[0]?.compensation ?? {})).toEqual(UNDO_FIELDS.split(' '));
});

it('shows what is stored in its own words', () => {
  expect(wireJob(sampleJob, plan)).toMatchObject({
    job_id: JOB_ID,
    current_state: 'COMPENSATING',
    created_at: '2030-01-01T08:00:00.007Z',
    owner_agent: 'boot:9',
    locked_until: '2030-01-01T08:00:20.007Z',
    trace_context: { traceparent: '00-1-2-01' },
    replay_of: 'jz',
    replayed_by: [],
    recovery_of: null,
    children: null,
    input: { company: 'Acme' },
    output: null,
    revision: 7,
  });
});

it('draws stage, kind, topic and operation ids from the plan', () => {
  const [tenant, billing, user] = wireJob(sampleJob, plan).steps;
  expect(tenant).toMatchObject({
    stage: 1,
    kind: 'compensatable',
    topic: 'tenant:create',
    operation_id: `${JOB_ID}.tenant`,
  });
  expect(billing).toMatchObject({ stage: 1, operation_id: `${JOB_ID}.billing.r2`, compensation: null });
  expect(user).toMatchObject({ stage: 2, topic: 'user:create' });
});

it('shows an undo that runs, under its own generation', () => {
  expect(wireJob(sampleJob, plan).steps[0]?.compensation).toMatchObject({
    topic: 'tenant:delete',
    status: 'compensating',
    operation_id: `${JOB_ID}.tenant.undo.2`,
    attempts: 2,
    compensated_at: null,
    result: null,
  });
});

it('leaves out a document that was not loaded, instead of calling it null', () => {
  expect(wireJob(sampleJob, plan).steps[2]).not.toHaveProperty('output');
});

it('lists every effect that is or may be applied', () => {
  expect(wireJob(sampleJob, plan).open_effects).toEqual([
    { step: 'tenant', operation_id: `${JOB_ID}.tenant`, state: 'applied', since: '2030-01-01T08:00:00.017Z' },
    { step: 'billing', operation_id: `${JOB_ID}.billing.r2`, state: 'applied', since: '2030-01-01T08:00:00.019Z' },
    { step: 'user', operation_id: `${JOB_ID}.user`, state: 'applied', since: '2030-01-01T08:00:00.047Z' },
  ]);
});

it('shows the newest 20 history entries, oldest first', () => {
  const history = wireJob(sampleJob, plan).state_history;
  expect(history.map((entry) => entry.seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 8));
  expect(history.at(-1)).toEqual({
    event_id: `${JOB_ID}.27`,
    seq: 27,
    job_id: JOB_ID,
    correlation_id: 'c-1',
    workflow_type: 'signup',
    from_state: 'PROCESSING',
    to_state: 'PROCESSING',
    transition_reason: 'due',
    error_code: 'EXT_TIMEOUT',
    step: 'user',
    actor: 'orchestrator:dispatch',
    occurred_at: '2030-01-01T08:00:00.029Z',
  });
});

it('names the next attempt in the error log only where there is one', () => {
  const [first, last] = wireJob(sampleJob, plan).error_log;
  expect(first?.next_attempt_at).toBe('2030-01-01T08:00:00.042Z');
  expect(last).not.toHaveProperty('next_attempt_at');
});

it('still shows a job whose version this code does not have', () => {
  const shown = wireJob(sampleJob, undefined);
  expect(shown.steps[0]).toMatchObject({
    step: 'tenant',
    stage: null,
    kind: null,
    topic: null,
    status: 'compensating',
  });
  expect(shown.open_effects).toEqual([]);
});
