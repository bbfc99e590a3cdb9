/**
 * Workflows on a schedule. Setting and pausing change nothing the second time, so they are repeated after a lost answer,
 * unless they stand on a revision: the first one may have made a new one. What was removed would not be found again.
 */
import type { Json, JsonObject } from '../contract/json.ts';
import type { WireSchedule } from '../contract/wire-schedule.ts';
import { everyItem } from './pages.ts';
import type { Send } from './transport.ts';
import type { Act, ScheduleWish } from './types.ts';

export interface Schedules {
  /** By name. */
  list(): AsyncGenerator<WireSchedule, void, void>;
  get(name: string): Promise<WireSchedule>;
  /** Makes it, or replaces what it was. */
  set(name: string, wish: ScheduleWish): Promise<WireSchedule>;
  pause(name: string, act: Act): Promise<WireSchedule>;
  /** What fell into the pause is not made up for. */
  resume(name: string, act: Act): Promise<WireSchedule>;
  remove(name: string, act: Act): Promise<WireSchedule>;
}

export function schedules(send: Send): Schedules {
  const ask = async (method: 'PUT' | 'POST', path: string, body: JsonObject): Promise<WireSchedule> => {
    const repeatable = body.expected_revision === undefined;
    return (await send({ method, path, body, repeatable })).body as WireSchedule;
  };
  return {
    list: () => everyItem(send, '/schedules', {}),
    get: async (name) => (await send({ method: 'GET', path: pathOf(name), repeatable: true })).body as WireSchedule,
    set: (name, { expectedRevision, ...wish }) => {
      const given = Object.entries(wish).flatMap(([member, value]) =>
        value === undefined ? [] : [[member, value as Json]],
      );
      return ask('PUT', pathOf(name), { ...Object.fromEntries(given), ...revisionOf(expectedRevision) });
    },
    pause: (name, act) => ask('POST', `${pathOf(name)}/pause`, bodyOf(act)),
    resume: (name, act) => ask('POST', `${pathOf(name)}/resume`, bodyOf(act)),
    remove: async (name, { reason, expectedRevision }) => {
      const query = { reason, expected_revision: expectedRevision };
      return (await send({ method: 'DELETE', path: pathOf(name), query, repeatable: false })).body as WireSchedule;
    },
  };
}

function pathOf(name: string): string {
  return `/schedules/${encodeURIComponent(name)}`;
}

function bodyOf({ reason, expectedRevision }: Act): JsonObject {
  return { reason, ...revisionOf(expectedRevision) };
}

function revisionOf(expectedRevision: number | undefined): JsonObject {
  return expectedRevision === undefined ? {} : { expected_revision: expectedRevision };
}
