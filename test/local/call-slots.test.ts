import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../lib/adapters/memory/clock.ts';
import type { Call } from '../../lib/core/events.ts';
import type { JobId } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { type Bounds, callSlots } from '../../lib/local/call-slots.ts';
import { sampleJob } from '../contract/sample-job.ts';

function rig(bounds: Bounds) {
  const clock = virtualClock(0);
  const slots = callSlots(clock, () => bounds);
  const sent: string[] = [];
  slots.onTurn((job) => sent.push(job.jobId));
  const take = (job: Job, target = 'bank'): boolean => slots.take(job, callOf(job, target)) === null;
  const wait = (job: Job): void => slots.comeBack(job, 'bank', 'forward');
  const land = (job: Job): void => slots.give(callOf(job, 'bank'));
  return { clock, slots, sent, take, wait, land };
}

const job = (name: string, callerId = 'ann'): Job => ({ ...sampleJob, jobId: `j${name}` as JobId, callerId });
const callOf = (of: Job, target: string): Call =>
  ({ target, operationId: `${of.jobId}.${target}`, direction: 'do', attempt: 1, timeoutMs: 10_000 }) as Call;

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((name) => job(name)) as [Job, Job, Job, Job];

describe('places of a dependency', () => {
  it('are as many as it may have calls; who waits is sent for when one comes free, and has it then', () => {
    const { take, wait, land, sent, slots } = rig({ maxConcurrent: 2 });
    expect([take(A), take(B), take(C), take(C, 'post')]).toEqual([true, true, false, true]);
    wait(C);
    expect([sent, slots.isWaiting(C.jobId)]).toEqual([[], true]);
    land(A);
    expect([sent, slots.isWaiting(C.jobId)]).toEqual([['jc'], false]);
    // It is kept for whom it was called out to.
    expect([take(D), take(C), take(A)]).toEqual([false, true, false]);
  });

  it('come free when a call gives its place back, however often, or when its lease is over', () => {
    const { clock, take, land } = rig({ maxConcurrent: 1 });
    expect(take(A)).toBe(true);
    land(A);
    land(A);
    expect([take(B), take(C)]).toEqual([true, false]);
    clock.advance(10_000 + LIMITS.leaseMarginMs);
    expect([take(C), take(D)]).toEqual([true, false]);
  });

  it('that were called out and not taken go to the next', () => {
    const { clock, take, wait, land, sent } = rig({ maxConcurrent: 1 });
    take(A);
    wait(B);
    wait(C);
    land(A);
    expect(sent).toEqual(['jb']);
    clock.advance(5_000);
    expect(sent).toEqual(['jb', 'jc']);
  });

  it('go to callers in turn', () => {
    const { clock, take, wait, land, sent } = rig({ maxConcurrent: 1 });
    const many = Array.from({ length: 9 }, (_, n) => job(`m${n}`, 'many'));
    take(A);
    for (const one of many) wait(one);
    wait(job('f', 'few'));
    land(A);
    clock.advance(5_000);
    expect(sent).toEqual(['jm0', 'jf']);
  });
});

it('no more calls begin in a second than the rate allows, and nobody is forgotten', () => {
  const { clock, take, wait, sent } = rig({ maxConcurrent: 100, maxPerSecond: 10 });
  const jobs = Array.from({ length: 30 }, (_, n) => job(`r${n}`));
  const begun = jobs.filter((one) => take(one));
  expect(begun.length).toBeLessThanOrEqual(2);
  for (const one of jobs.slice(begun.length)) wait(one);
  for (let second = 1; second <= 3; second += 1) {
    for (let at = 0; at < 100; at += 1) clock.advance(10);
    expect(begun.length + sent.length).toBeLessThanOrEqual(2 + second * 10);
  }
  expect(begun.length + sent.length).toBeGreaterThanOrEqual(29);
});
