/** A job as an item: nothing is lost, indexes hold still while it moves, and a signup stays a kilobyte. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobIn, jobItem } from '../../../lib/adapters/aws/job-item.ts';
import { INDEXES } from '../../../lib/contract/aws-table.ts';
import { jobFromJson, jobToJson } from '../../../lib/contract/stored-job.ts';
import { LIMITS } from '../../../lib/core/limits.ts';
import { arbitraryJob } from '../../contract/arbitrary-job.ts';
import { completedSignup, newJob, T0 } from '../../contracts/jobs.ts';
import { indexWriteUnits, itemBytes } from './item-size.ts';

describe('a job as an item', () => {
  it('is read back as any store reads it back', () => {
    fc.assert(
      fc.property(arbitraryJob, (job) => {
        expect(jobIn(jobItem(job))).toEqual(jobFromJson(jobToJson(job)));
      }),
    );
  });

  it('costs no index anything while only its course changes', () => {
    const fixed = fc.record({ before: arbitraryJob, after: arbitraryJob });
    fc.assert(
      fc.property(fixed, ({ before, after }) => {
        const { jobId, callerId, correlationId, createdAt, bucket, parkedOn } = before;
        const later = { ...after, jobId, callerId, correlationId, createdAt, bucket, parkedOn };
        expect(indexWriteUnits(jobItem(before), jobItem(later))).toBe(0);
      }),
    );
  });

  it('costs the watchdog one unit when it comes, one when it goes, and two when it moves', () => {
    const job = newJob('units');
    const [here, there, nowhere] = [T0, T0 + LIMITS.bucketMs, null].map((bucket) => jobItem({ ...job, bucket }));
    if (here === undefined || there === undefined || nowhere === undefined) throw new Error('no items');
    expect([indexWriteUnits(nowhere, here), indexWriteUnits(here, there), indexWriteUnits(here, nowhere)]).toEqual([
      1, 2, 1,
    ]);
  });

  it('costs one unit when a gate takes it and one when it lets it go', () => {
    const job = newJob('held');
    const [free, held] = [null, 'dependency:payment'].map((parkedOn) => jobItem({ ...job, parkedOn }));
    if (free === undefined || held === undefined) throw new Error('no items');
    expect([indexWriteUnits(free, held), indexWriteUnits(held, free)]).toEqual([1, 1]);
  });

  it('stands in the index of correlations only under an id that is not its own, nor empty', () => {
    const job = newJob('correlated');
    const standsUnder = (correlationId: string) =>
      jobItem({ ...job, correlationId })[INDEXES.byCorrelation.partitionKey]?.S;
    expect([standsUnder('order-7'), standsUnder(job.jobId), standsUnder('')]).toEqual([
      'order-7',
      undefined,
      undefined,
    ]);
  });

  it('of a signup fits in one kilobyte from its first write to its last', () => {
    expect(itemBytes(jobItem(newJob('small')))).toBeLessThanOrEqual(1_024);
    expect(itemBytes(jobItem(completedSignup()))).toBeLessThanOrEqual(1_024);
  });

  it('expires only when it has ended and everything about that is published, in whole seconds', () => {
    const ended = { ...completedSignup(), updatedAt: T0 + 1 };
    expect(jobItem(ended).expires_at).toEqual({ N: String((T0 + LIMITS.jobRetentionMs) / 1_000 + 1) });
    expect(jobItem({ ...ended, bucket: T0 }).expires_at).toBeUndefined();
    expect(jobItem(newJob('live')).expires_at).toBeUndefined();
  });

  it('shows its state and type to whoever looks at the table', () => {
    expect(jobItem(completedSignup())).toMatchObject({ state: { S: 'COMPLETED' }, type: { S: 'signup' } });
  });
});
