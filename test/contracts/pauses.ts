/** What every store of pauses promises: one writer wins, everybody reads the latest, an unheard put is known again. */
import { describe, expect, it } from 'vitest';
import { type Pause, paused, releaseStarted, withTurns } from '../../lib/core/pause.ts';
import type { PauseStore } from '../../lib/ports.ts';
import { type Make, unique } from './support.ts';

const T0 = 1_800_000_000_000;
const BY = { actor: 'operator:ann', reason: 'the bank is closed' };

export function pausesContract(name: string, makeStore: Make<PauseStore>): void {
  describe(`${name}: pauses`, () => {
    it('are kept whole through a release, and found by id and in the list', async () => {
      const store = await makeStore();
      const first = signed(paused(null, about(), BY, T0));
      expect(await store.put(first)).toEqual({ stored: true });
      const going = signed(releaseStarted(first, 7, BY, T0 + 1));
      await store.put(going);
      const turned = signed(withTurns(going, 3, 60_000, T0 + 2)?.pause ?? null);
      await store.put(turned);
      expect(await store.get(first.id)).toEqual(turned);
      expect((await store.list()).filter(({ id }) => id === first.id)).toEqual([turned]);
      const other = signed(paused(null, about(), BY, T0));
      await store.put(other);
      expect((await store.list()).map(({ id }) => id)).toEqual(expect.arrayContaining([first.id, other.id]));
    });

    it('are made and changed by one of many: the others learn what stands', async () => {
      const store = await makeStore();
      const scope = about();
      const made = Array.from({ length: 5 }, () => signed(paused(null, scope, BY, T0)));
      const first = await winnerOf(store, made);
      await winnerOf(
        store,
        Array.from({ length: 8 }, (_, at) => signed(releaseStarted(first, at + 1, BY, T0))),
      );
    });

    it('know a put again whose answer was lost, and no revision that never was', async () => {
      const store = await makeStore();
      const made = signed(paused(null, about(), BY, T0));
      expect(await store.get(made.id)).toBeNull();
      expect(await store.put({ ...made, revision: 7 })).toEqual({ stored: false, current: null });
      expect(await store.put(made)).toEqual({ stored: true });
      expect(await store.put(made)).toEqual({ stored: true });
    });
  });
}

async function winnerOf(store: PauseStore, rivals: readonly Pause[]): Promise<Pause> {
  const results = await Promise.all(rivals.map((one) => store.put(one)));
  const winners = rivals.filter((_, at) => results[at]?.stored === true);
  expect(winners).toHaveLength(1);
  const [winner] = winners;
  if (winner === undefined) throw new Error('nobody won');
  for (const result of results) if (!result.stored) expect(result.current).toEqual(winner);
  expect(await store.get(winner.id)).toEqual(winner);
  return winner;
}

let writes = 0;

function signed(pause: Pause | null): Pause {
  if (pause === null) throw new Error('nothing changed');
  writes += 1;
  return { ...pause, writeId: `w${writes}` };
}

function about(): Pick<Pause, 'scope' | 'value'> {
  return { scope: 'topic', value: unique('topic') };
}
