/** What every store of dependencies promises: one writer wins, everybody reads the latest, an unheard put is known again. */
import { describe, expect, it } from 'vitest';
import { type Dependency, newDependency, withBreaker, withCheck } from '../../lib/core/dependency.ts';
import type { DependencyStore } from '../../lib/ports.ts';
import { type Make, unique } from './support.ts';

const T0 = 1_800_000_000_000;
const BY = { actor: 'orchestrator:test', reason: 'test', byPerson: false };

export function dependenciesContract(name: string, makeStore: Make<DependencyStore>): void {
  describe(`${name}: dependencies`, () => {
    it('are kept whole, each under its id', async () => {
      const store = await makeStore();
      const opened = opening(first());
      expect(await store.put(opened)).toEqual({ stored: true });
      const checked = next(withCheck(opened, { isUp: false, notes: 'no answer' }, T0 + 9));
      expect(await store.put(checked)).toEqual({ stored: true });
      const other = first();
      await store.put(other);
      expect(await find(store, opened.id)).toEqual(checked);
      expect(await find(store, other.id)).toEqual(other);
    });

    it('are changed by one of many: the others learn what stands', async () => {
      const store = await makeStore();
      const made = first();
      await store.put(made);
      const rivals = Array.from({ length: 8 }, () => next(withCheck(made, { isUp: true, notes: null }, T0)));
      const results = await Promise.all(rivals.map((one) => store.put(one)));
      const winners = rivals.filter((_, at) => results[at]?.stored === true);
      expect(winners).toHaveLength(1);
      for (const result of results) if (!result.stored) expect(result.current).toEqual(winners[0]);
      expect(await find(store, made.id)).toEqual(winners[0]);
    });

    it('are made by one of many', async () => {
      const store = await makeStore();
      const id = unique('dependency');
      const results = await Promise.all(Array.from({ length: 5 }, () => store.put(first(id))));
      expect(results.filter(({ stored }) => stored)).toHaveLength(1);
    });

    it('know a put again whose answer was lost', async () => {
      const store = await makeStore();
      const made = first();
      expect(await store.put(made)).toEqual({ stored: true });
      expect(await store.put(made)).toEqual({ stored: true });
    });

    it('are not changed under a revision that they never had', async () => {
      const store = await makeStore();
      const never = { ...first(), revision: 7 };
      expect(await store.put(never)).toEqual({ stored: false, current: null });
      expect(await find(store, never.id)).toBeUndefined();
    });
  });
}

let writes = 0;

function next(dependency: Dependency): Dependency {
  writes += 1;
  return { ...dependency, writeId: `w${writes}` };
}

function first(id = unique('dependency')): Dependency {
  return next({ ...newDependency(id), revision: 1 });
}

function opening(made: Dependency): Dependency {
  const opened = withBreaker({ ...made, revision: 0 }, { type: 'forced', to: 'OPEN' }, { ...BY, byPerson: true }, T0);
  if (opened === null) throw new Error('it did not open');
  return next(opened);
}

async function find(store: DependencyStore, id: string): Promise<Dependency | undefined> {
  return (await store.list()).find((one) => one.id === id);
}
