import { expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import { expiresAtOf } from '../../lib/core/retention.ts';
import { isTerminal, JOB_STATES } from '../../lib/core/states.ts';
import { newJob, T0 } from '../contracts/jobs.ts';

it('lets a job go a retention after its end, and no other ever', () => {
  for (const state of JOB_STATES) {
    const expected = isTerminal(state) ? T0 + LIMITS.jobRetentionMs : null;
    expect(expiresAtOf(newJob('key', { state, bucket: null, updatedAt: T0 })), state).toBe(expected);
  }
});

it('keeps an ended job while something of its end is still to be published', () => {
  expect(expiresAtOf(newJob('key', { state: 'COMPLETED', bucket: T0 }))).toBeNull();
});

it('keeps a child for as long as the job at its root may need it, and a retention beyond', () => {
  const root = T0 + 400 * 86_400_000;
  const child = { step: 'a', round: 0, index: 0, keepUntil: root };
  const job = newJob('key', { state: 'COMPLETED', bucket: null, updatedAt: T0, lineage: { child } });
  expect(expiresAtOf(job)).toBe(root + LIMITS.jobRetentionMs);
});
