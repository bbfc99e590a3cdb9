/** The catalog of definitions: which version is meant, and which topics have to lead somewhere. */
import { describe, expect, it } from 'vitest';
import { registry } from '../../lib/definition/index.ts';
import type { PlanCatalog } from '../../lib/operations/engine.ts';
import { bare, problemsOf, raw, start } from './support.ts';

const nothing = (): null => null;
const trip = (version: number) => start('trip', version).stage(raw('hotel')).output(nothing);
const tour = start('tour', 1)
  .stage(raw('hotel', { topic: 'hotel:book', undo: 'hotel:cancel', query: 'hotel:find' }))
  .stage(bare('look', { readOnly: true }))
  .output(nothing);

describe('registry', () => {
  it('is the catalog that the engine asks', () => {
    const catalog: PlanCatalog = registry(trip(1));
    expect(catalog.list()).toHaveLength(1);
  });

  it('finds a version by number, the newest without one, and nothing else', () => {
    const catalog = registry(trip(2), trip(10), tour, trip(9));
    expect(catalog.find('trip', 9)?.version).toBe(9);
    expect(catalog.find('trip', null)?.version).toBe(10);
    expect(catalog.find('tour', null)?.type).toBe('tour');
    expect(catalog.find('trip', 3)).toBeUndefined();
    expect(catalog.find('trap', null)).toBeUndefined();
    expect(catalog.find('toString', null)).toBeUndefined();
  });

  it('lists by type, then version', () => {
    const named = registry(trip(10), trip(2), tour)
      .list()
      .map(({ type, version }) => `${type} ${version}`);
    expect(named).toEqual(['tour 1', 'trip 2', 'trip 10']);
  });

  it('refuses two definitions of one version, each pair by name', () => {
    expect(problemsOf(() => registry(trip(1), tour, trip(2), trip(1)))).toEqual([
      'workflow trip (version 1): it is registered twice; give the newer definition version 2',
    ]);
  });
});

describe('topics', () => {
  it('are told with everyone who needs them, and for what', () => {
    const use = (workflowType: string, step: string, purpose: string) => ({ workflowType, version: 1, step, purpose });
    expect(registry(trip(1), tour).topics()).toEqual([
      { topic: 'hotel:book', uses: [use('tour', 'hotel', 'do')] },
      { topic: 'hotel:cancel', uses: [use('tour', 'hotel', 'undo')] },
      { topic: 'hotel:find', uses: [use('tour', 'hotel', 'query')] },
      { topic: 'thing:do', uses: [use('tour', 'look', 'do'), use('trip', 'hotel', 'do')] },
      { topic: 'thing:undo', uses: [use('trip', 'hotel', 'undo')] },
    ]);
  });

  it('that lead to an event bus are told where somebody would wait for an answer, or take the effect back', () => {
    const oneWay = { target: 'bus', oneWay: true };
    expect(registry(trip(1), tour).missingRoutes(() => oneWay)).toEqual([
      'workflow tour (version 1), step hotel: topic hotel:book leads to an event bus, and no undo takes an event back; ' +
        "write undo: none('why') or irreversible: true",
      'workflow tour (version 1), step hotel: topic hotel:cancel leads to an event bus, where nothing is undone; route it ' +
        'to a participant that answers',
      'workflow tour (version 1), step hotel: topic hotel:find leads to an event bus, where nothing is asked; route it ' +
        'to a participant that answers',
      'workflow trip (version 1), step hotel: topic thing:do leads to an event bus, and no undo takes an event back; ' +
        "write undo: none('why') or irreversible: true",
      'workflow trip (version 1), step hotel: topic thing:undo leads to an event bus, where nothing is undone; route it ' +
        'to a participant that answers',
    ]);
  });

  it('without a route are told by workflow and step', () => {
    const routed = new Map([['thing:do', 'a lambda']]);
    expect(registry(trip(1), tour).missingRoutes((topic) => routed.get(topic))).toEqual([
      'workflow tour (version 1), step hotel: topic hotel:book has no route; add one to the routes, or correct the topic',
      'workflow tour (version 1), step hotel: topic hotel:cancel has no route; add one to the routes, or correct the topic',
      'workflow tour (version 1), step hotel: topic hotel:find has no route; add one to the routes, or correct the topic',
      'workflow trip (version 1), step hotel: topic thing:undo has no route; add one to the routes, or correct the topic',
    ]);
    expect(registry(trip(1), tour).missingRoutes(() => 'anywhere')).toEqual([]);
  });
});
