/** Who waits for a job learns of its next write, and never waits longer than asked. */
import { describe, expect, it } from 'vitest';
import type { Changes, JobStore } from '../../lib/ports.ts';
import { newJob, nextWrite } from './jobs.ts';
import { eventually, type Make, unique } from './support.ts';

export interface ChangesUnderTest {
  readonly jobs: JobStore;
  readonly changes: Changes;
  advance(ms: number): Promise<void>;
}

export function changesContract(name: string, make: Make<ChangesUnderTest>): void {
  describe(`${name}: changes`, () => {
    it('wake every waiter at the next write of its job', async () => {
      const { jobs, changes } = await make();
      const job = newJob(unique('key'));
      const first = [changes.next(job.jobId, 60_000), changes.next(job.jobId, 60_000)];
      await jobs.create(job);
      await Promise.all(first);
      const second = changes.next(job.jobId, 60_000);
      await jobs.update(nextWrite(job), job.revision);
      await second;
    });

    it('end a wait in which nothing happened', async () => {
      const { changes, advance } = await make();
      const { isOver } = watched(changes.next(newJob(unique('key')).jobId, 1_000));
      await advance(999);
      expect(isOver()).toBe(false);
      await advance(1);
      await eventually(async () => expect(isOver()).toBe(true));
    });

    it('keep a later wait apart from an earlier one that ended by time', async () => {
      const { jobs, changes, advance } = await make();
      const job = newJob(unique('key'));
      const first = changes.next(job.jobId, 1_000);
      await advance(500);
      const second = watched(changes.next(job.jobId, 60_000));
      await advance(500);
      await first;
      expect(second.isOver()).toBe(false);
      await jobs.create(job);
      await eventually(async () => expect(second.isOver()).toBe(true));
    });
  });
}

function watched(promise: Promise<void>): { isOver: () => boolean } {
  let over = false;
  void promise.then(() => {
    over = true;
  });
  return { isOver: () => over };
}
