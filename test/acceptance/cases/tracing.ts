/** The caller's trace and correlation go in, through and out. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe } from 'node:test';
import { jobIn } from '../support/api.ts';
import { signup, unique, withBadPlan } from '../support/inputs.ts';
import { localScenario, SIDE_BY_SIDE, scenario } from '../support/scenario.ts';

const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const traceIdIn = (traceparent: string | null | undefined) => TRACEPARENT.exec(traceparent ?? '')?.[1];

function newTrace(): { traceId: string; headers: Record<string, string> } {
  const traceId = randomBytes(16).toString('hex');
  return {
    traceId,
    headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`, tracestate: 'vendor=abc' },
  };
}

describe('tracing', SIDE_BY_SIDE, () => {
  scenario('the trace that a caller brings is the trace of the job and of the answer', async (s) => {
    const { traceId, headers } = newTrace();
    const answer = await s.submit('signup', signup(), { headers });
    const job = jobIn(answer, 202);
    assert.equal(traceIdIn(job.trace_context.traceparent), traceId);
    assert.equal(job.trace_context.tracestate, headers.tracestate);
    assert.equal(traceIdIn(answer.headers.get('traceparent')), traceId);
  });

  scenario('a job without a trace gets one', async (s) => {
    const answer = await s.submit('signup', signup());
    const traceId = traceIdIn(jobIn(answer, 202).trace_context.traceparent);
    assert.ok(traceId);
    assert.equal(traceIdIn(answer.headers.get('traceparent')), traceId);
  });

  scenario('the correlation id that a caller brings is on the job and in its history', async (s) => {
    const correlation_id = unique('correlation');
    const job = await s.start('signup', signup(), { headers: { 'x-correlation-id': correlation_id } });
    assert.equal(job.correlation_id, correlation_id);
    for (const entry of await s.api.history(job.job_id)) assert.equal(entry.correlation_id, correlation_id);
  });
});

describe('tracing, on the bus', () => {
  for (const [detailType, make] of [
    ['signup:completed', signup],
    ['signup:failed', withBadPlan],
  ] as const) {
    localScenario(`${detailType} carries the trace and the correlation id`, async (s) => {
      const { traceId, headers } = newTrace();
      const correlation_id = unique('correlation');
      const { job_id } = await s.start('signup', make(), {
        headers: { ...headers, 'x-correlation-id': correlation_id },
      });
      const { detail } = await s.local.event(job_id, detailType);
      assert.equal(traceIdIn(detail.traceparent), traceId);
      assert.equal(detail.correlation_id, correlation_id);
    });
  }
});
