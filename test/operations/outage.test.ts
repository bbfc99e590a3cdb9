/** A dependency that is down for ten minutes costs waiting: no attempts, no dead letters, no calls but probes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import { type OutageRun, runOutage } from '../../scripts/outage/run.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const RATE = 10;
const DRIVERS = 12;
const DOWN_FROM = MINUTE;
const DOWN_FOR = 10 * MINUTE;
const JOBS = 240;
const SUBMIT_FOR = 4 * MINUTE;

describe('a dependency that is down for ten minutes', () => {
  let outage: OutageRun;
  beforeAll(async () => {
    outage = await runOutage({
      jobs: JOBS,
      submitMs: SUBMIT_FOR,
      downFromMs: DOWN_FROM,
      downForMs: DOWN_FOR,
      withinMs: 60 * MINUTE,
      releasePerSecond: RATE,
      drivers: DRIVERS,
    });
  }, 60_000);

  it('leaves every job completed, and none in quarantine', () => {
    expect(outage.jobs.map(({ state }) => state)).toEqual(Array.from({ length: JOBS }, () => 'COMPLETED'));
    expect(outage.endedAt).toBeLessThan(DOWN_FROM + DOWN_FOR + 5 * MINUTE);
  });

  it('is called by no more than what opened its breaker, what was in flight, and the probes', () => {
    const during = outage.calls.filter(({ answered }) => !answered);
    const probes = Math.ceil(DOWN_FOR / LIMITS.breakerCooldownMs);
    expect(during.length).toBeLessThanOrEqual(LIMITS.breakerFailures + DRIVERS + probes);
    const afterOpening = during.filter(({ at }) => at > (outage.events[0]?.at ?? 0) + LIMITS.gatesFreshMs + SECOND);
    expect(afterOpening.length).toBeLessThanOrEqual(probes);
    expect(afterOpening.length).toBeGreaterThan(0);
  });

  it('takes no attempt and no retry of anybody once its breaker is open', () => {
    const spent = outage.jobs.map(({ steps, retryCount }) => ({
      retries: retryCount,
      attempts: Math.max(...steps.map((step) => step.attempts - step.attemptsBefore)),
    }));
    const touched = spent.filter(({ retries, attempts }) => retries > 0 || attempts > 1);
    // Those whose calls opened the breaker, or were under way just then.
    expect(touched.length).toBeLessThanOrEqual(LIMITS.breakerFailures + DRIVERS);
    expect(touched.reduce((sum, { retries }) => sum + retries, 0)).toBeLessThanOrEqual(
      LIMITS.breakerFailures + DRIVERS,
    );
  });

  it('gets its calls back no faster than its release rate, beside those of new jobs', () => {
    const fresh = Math.ceil(JOBS / (SUBMIT_FOR / SECOND)) + 1;
    const perSecond = new Map<number, number>();
    for (const { at, answered } of outage.calls) {
      const second = Math.floor(at / SECOND);
      if (answered) perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(RATE + fresh);
  });

  it('has its breaker told of once opened and once closed', () => {
    expect(outage.events.map(({ type }) => type)).toEqual(['dependency.opened', 'dependency.closed']);
  });
});
