import { describe, expect, it } from 'vitest';
import { isOwnWrite } from '../../lib/core/own-write.ts';
import { entry, newJob, nextWrite, silentWrite } from '../contracts/jobs.ts';

describe('a write whose condition failed', () => {
  const job = newJob('key');

  it('is our own when the stored write id is ours, with or without history', () => {
    for (const mine of [job, nextWrite(job), silentWrite(job)]) expect(isOwnWrite(mine, mine)).toBe(true);
  });

  it('is our own when others wrote on top and the history holds its mark', () => {
    const mine = nextWrite(job);
    expect(isOwnWrite(nextWrite(silentWrite(mine)), mine)).toBe(true);
    expect(isOwnWrite(nextWrite(nextWrite(job)), job)).toBe(true);
  });

  it('is not our own when it left no mark and others wrote on top', () => {
    const mine = silentWrite(job);
    expect(isOwnWrite(nextWrite(mine), mine)).toBe(false);
  });

  it("is not our own when the same entry carries another's mark", () => {
    expect(isOwnWrite(nextWrite(job), nextWrite(job))).toBe(false);
    expect(isOwnWrite(newJob('key'), job)).toBe(false);
  });

  it('is not our own when our mark stands at an entry we did not write', () => {
    const mine = nextWrite(job);
    const [created, made] = mine.history;
    const elsewhere = { ...nextWrite(job), history: [created ?? entry(0), entry(5, { mark: made?.mark ?? '' })] };
    expect(isOwnWrite(elsewhere, mine)).toBe(false);
  });
});
