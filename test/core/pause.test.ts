import { describe, expect, it } from 'vitest';
import type { Passage } from '../../lib/core/gates.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import {
  covers,
  failureCounted,
  type Pause,
  paused,
  pausedBy,
  pauseGate,
  pauseTold,
  releaseEnded,
  releaseStarted,
  untoldOf,
  withTurns,
} from '../../lib/core/pause.ts';

const T0 = 1_800_000_000_000;
const BY = { actor: 'operator:ann', reason: 'the bank is closed' };
const ABOUT = { scope: 'topic', value: 'user:create' } as const;

function some(pause: Pause | null): Pause {
  if (pause === null) throw new Error('nothing changed');
  return pause;
}

const active = some(paused(null, ABOUT, BY, T0));
const releasing = some(releaseStarted(active, 10, BY, T0));

describe('a pause', () => {
  it('is one for each scope and value, however often it is asked for', () => {
    expect(paused(active, ABOUT, BY, T0 + 1)).toBeNull();
    const again = some(paused(releasing, ABOUT, { actor: 'operator:bob', reason: 'not yet' }, T0 + 1));
    expect(again).toMatchObject({
      id: active.id,
      status: 'active',
      by: 'operator:bob',
      reason: 'not yet',
      since: T0 + 1,
    });
  });

  const passage: Passage = {
    topic: 'user:create',
    target: 'user',
    direction: 'do',
    job: { jobId: 'j1' as JobId, callerId: 'ann', workflowType: 'signup', lineage: {} },
  };
  const undo = { ...passage, direction: 'undo' } as const;
  const recovery = {
    ...passage,
    job: {
      ...passage.job,
      lineage: { undoes: { jobId: 'j0' as JobId, step: 'user', round: 0, generation: 0, topic: 't' } },
    },
  };

  it.each([
    // scope, value, forward, undo, recovery of a late effect
    ['topic', 'user:create', true, true, true],
    ['topic', 'user:delete', false, false, false],
    ['dependency', 'user', true, true, true],
    ['workflow', 'signup', true, false, false],
    ['workflow', 'order', false, false, false],
    ['caller', 'ann', true, false, false],
  ] as const)(
    'of %s %s covers forward calls: %s, undos: %s, recovery jobs: %s',
    (scope, value, forward, back, late) => {
      const about = { scope, value };
      expect([covers(about, passage), covers(about, undo), covers(about, recovery)]).toEqual([forward, back, late]);
    },
  );

  it('holds while it is active, and nothing while it is released', () => {
    expect(pausedBy([active], passage)).toBe(pauseGate(active.id));
    expect(pausedBy([releasing], passage)).toBeNull();
  });
});

describe('a release', () => {
  it('gives out no more turns than its rate, whoever takes them', () => {
    const first = withTurns(releasing, 100, 2_000, T0);
    expect(first?.slots).toEqual({ at: T0, count: 20 });
    expect(withTurns(some(first?.pause ?? null), 100, 2_000, T0)).toBeNull();
    const later = withTurns(some(first?.pause ?? null), 100, 2_000, T0 + 1_000);
    expect(later?.slots).toEqual({ at: T0 + 2_000, count: 10 });
    expect(later?.pause.release?.released).toBe(30);
  });

  it('keeps turns given out when its rate changes, and gives none when it is no release', () => {
    const going = some(withTurns(releasing, 20, 2_000, T0)?.pause ?? null);
    const faster = some(releaseStarted(going, 100, BY, T0 + 1));
    expect(faster.release).toMatchObject({ ratePerSecond: 100, slotsUntil: T0 + 2_000, released: 20 });
    expect(withTurns(active, 1, 2_000, T0)).toBeNull();
    expect(releaseStarted(some(releaseEnded(releasing, 'o', T0 + LIMITS.releaseHeardMs)), 1, BY, T0)).toBeNull();
  });

  it('stops when too many calls of its jobs fail, and is a pause again that says why', () => {
    let pause = some(withTurns(releasing, 20, 2_000, T0)?.pause ?? null);
    for (let n = 1; n < LIMITS.releaseFailuresMin; n += 1)
      pause = some(failureCounted(pause, 'orchestrator:dispatch', T0));
    expect(pause.status).toBe('releasing');
    pause = some(failureCounted(pause, 'orchestrator:dispatch', T0 + 9));
    expect(pause).toMatchObject({
      status: 'active',
      since: T0 + 9,
      stoppedReason: '5 calls of 20 released jobs failed',
    });
    expect(failureCounted(pause, 'orchestrator:dispatch', T0 + 10)).toBeNull();
    // Whoever releases again begins to count anew.
    expect(releaseStarted(pause, 5, BY, T0 + 20)?.release).toMatchObject({ released: 0, failures: 0 });
  });

  it('bears as many failures as its rate of errors allows', () => {
    let pause = some(
      withTurns(
        { ...releasing, release: { startedAt: T0, slotsUntil: T0, released: 0, failures: 0, ratePerSecond: 1_000 } },
        100,
        2_000,
        T0,
      )?.pause ?? null,
    );
    for (let n = 1; n < 20; n += 1) pause = some(failureCounted(pause, 'o', T0));
    expect(pause.status).toBe('releasing');
    expect(failureCounted(pause, 'o', T0)?.status).toBe('active');
  });

  it('ends when everybody has heard of it and its turns are over', () => {
    const going = some(withTurns(releasing, 200, 60_000, T0)?.pause ?? null);
    expect(releaseEnded(going, 'o', T0 + LIMITS.releaseHeardMs)).toBeNull();
    expect(releaseEnded(going, 'o', T0 + 20_000)).toMatchObject({ status: 'released' });
    expect(releaseEnded(releasing, 'o', T0 + LIMITS.releaseHeardMs - 1)).toBeNull();
  });
});

it('is told once: what was told is not news', () => {
  expect(untoldOf(releasing).map(({ what }) => what)).toEqual(['paused', 'release_started']);
  const told = some(pauseTold(releasing, 0));
  expect(untoldOf(told).map(({ what }) => what)).toEqual(['release_started']);
  expect(pauseTold(told, 0)).toBeNull();
});
