import { describe, expect, it } from 'vitest';
import type { Job } from '../../lib/core/job.ts';
import { JOB_STATES } from '../../lib/core/states.ts';
import { waitingAnswer } from '../../lib/http/waiting-answer.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { sampleJob } from '../contract/sample-job.ts';

const plan = examples.find('signup', 1);
const ended: Job = { ...sampleJob, state: 'FAILED', outcome: 'rolled_back', steps: [], turnBack: null };

/** Status and code, or status and state. */
function told(changes: Partial<Job>): readonly [number, string] {
  const answer = waitingAnswer({ ...ended, ...changes }, plan);
  return answer.kind === 'job'
    ? [answer.status, answer.job.current_state]
    : [answer.problem.status, answer.problem.code];
}

it('answers every state there is', () => {
  for (const state of JOB_STATES) expect(told({ state })[0]).toBeGreaterThan(200);
});

describe('a bad end', () => {
  it.each([
    ['EXT_TIMEOUT', 504],
    ['EXT_THROTTLED', 429],
    ['EXT_UNAVAILABLE', 503],
    ['EXT_OF_THEIR_OWN', 503],
    ['CONTRACT_OUTPUT_INVALID', 500],
    ['CONTRACT_OF_THEIR_OWN', 422],
    ['WHATEVER', 500],
  ])('is told by its cause %s: %i, also when retries ran out or it lies in quarantine', (lastErrorCode, status) => {
    for (const state of ['FAILED', 'DEAD_LETTERED'] as const) {
      expect(told({ state, lastErrorCode, stoppedReason: 'ORCH_RETRY_BUDGET_EXHAUSTED' })).toEqual([
        status,
        lastErrorCode,
      ]);
    }
  });

  it('because retries ran out is 503 when no cause is known', () => {
    expect(told({ lastErrorCode: null })).toEqual([503, 'ORCH_RETRY_BUDGET_EXHAUSTED']);
  });

  it('because time ran out is 504, whatever was tried last', () => {
    expect(told({ turnBack: { cause: 'deadline', at: 1 } })).toEqual([504, 'ORCH_DEADLINE_EXCEEDED']);
    expect(told({ stoppedReason: 'ORCH_DEADLINE_EXCEEDED', lastErrorCode: 'EXT_UNAVAILABLE' })).toEqual([
      504,
      'ORCH_DEADLINE_EXCEEDED',
    ]);
  });

  it('of a cancelled job is 409', () => {
    expect(told({ state: 'CANCELLED' })).toEqual([409, 'ORCH_CANCELLED']);
  });

  it('says when effects were left behind', () => {
    const answer = waitingAnswer({ ...ended, steps: sampleJob.steps }, plan);
    expect(answer).toMatchObject({
      problem: { job_id: ended.jobId, open_effects: [{ step: 'tenant' }, { step: 'billing' }, { step: 'user' }] },
    });
  });
});

it('a job that needs review is 500 under the reason it stopped for, with its open effects', () => {
  const stopped = { state: 'NEEDS_REVIEW', steps: sampleJob.steps, stoppedReason: 'ORCH_DEADLINE_EXCEEDED' } as const;
  expect(told(stopped)).toEqual([500, 'ORCH_DEADLINE_EXCEEDED']);
  const answer = waitingAnswer({ ...ended, ...stopped }, plan);
  expect(answer.kind === 'problem' && answer.problem.open_effects).toHaveLength(3);
});
