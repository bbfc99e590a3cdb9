/** Schedules in memory, kept as text, so nobody shares them. */
import { scheduleFromJson, scheduleToJson } from '../../contract/stored-schedule.ts';
import type { ScheduleRecord } from '../../core/schedule-record.ts';
import type { ScheduleStore, Wakeups } from '../../ports.ts';

export function memorySchedules(): ScheduleStore {
  const texts = new Map<string, string>();
  const read = (name: string): ScheduleRecord | null => {
    const text = texts.get(name);
    return text === undefined ? null : scheduleFromJson(text);
  };
  const all = (): ScheduleRecord[] => [...texts.values()].map(scheduleFromJson);
  return {
    put: async (record, expectedRevision) => {
      const current = read(record.name);
      if ((current?.revision ?? null) !== expectedRevision) {
        return current?.writeId === record.writeId ? { stored: true } : { stored: false, current };
      }
      texts.set(record.name, scheduleToJson(record));
      return { stored: true };
    },
    get: async (name) => read(name),
    list: async ({ limit, after }) => {
      const names = all()
        .filter(({ name, removed }) => !removed && (after === null || name > after))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const items = names.slice(0, limit);
      return { items, next: names.length > limit ? (items.at(-1)?.name ?? null) : null };
    },
    due: async (now, limit) =>
      all()
        .filter(({ lookAt }) => lookAt !== null && lookAt <= now)
        .sort((a, b) => (a.lookAt ?? 0) - (b.lookAt ?? 0))
        .slice(0, limit)
        .map(({ name }) => name),
  };
}

/** Where somebody looks all the time, nobody needs to be woken. */
export function noWakeups(): Wakeups {
  return { set: async () => {}, remove: async () => {} };
}
