/**
 * The faults that are to happen, and how often they have. Kept in the file, so that a restart neither forgets nor
 * repeats one: a firing is on disk before its consequences are. Looking costs nothing while nothing is armed: the
 * whole book is in memory, the file only follows.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Fault, FaultRequest } from '../contract/local.ts';

export interface FaultBook {
  /** The fault that is next to fire at this target; it stays armed. */
  armed(target: string): Fault | undefined;
  /** Takes one firing off that fault, durably. No firing is taken twice. */
  take(target: string): Promise<Fault | undefined>;
  /** All since the last `clear`, oldest first, spent ones included. */
  list(): readonly Fault[];
  add(request: FaultRequest): Promise<Fault>;
  clear(): Promise<void>;
}

type Write = <T>(work: (database: DatabaseSync) => T) => Promise<T>;

const TABLE = `
  CREATE TABLE IF NOT EXISTS faults (
    id INTEGER PRIMARY KEY, fired INTEGER NOT NULL, request TEXT NOT NULL
  ) STRICT`;

interface Entry {
  readonly id: number;
  readonly fault: Fault;
}

export async function openFaultBook(write: Write): Promise<FaultBook> {
  let entries = await write(load);
  let lastId = entries.at(-1)?.id ?? 0;

  const next = (target: string): Entry | undefined =>
    entries.find(({ fault }) => fault.target === target && fault.fired < fault.times);

  return {
    armed: (target) => next(target)?.fault,
    async take(target) {
      const entry = next(target);
      if (entry === undefined) return undefined;
      const fault = { ...entry.fault, fired: entry.fault.fired + 1 };
      // In memory at once: whoever takes meanwhile gets the next firing, not this one.
      entries = entries.map((other) => (other === entry ? { ...entry, fault } : other));
      await write((database) =>
        database.prepare('UPDATE faults SET fired = max(fired, ?) WHERE id = ?').run(fault.fired, entry.id),
      );
      return fault;
    },
    list: () => entries.map(({ fault }) => fault),
    async add(request) {
      lastId += 1;
      const entry = { id: lastId, fault: { ...request, fired: 0 } };
      await write((database) =>
        database
          .prepare('INSERT INTO faults (id, fired, request) VALUES (?, 0, ?)')
          .run(entry.id, JSON.stringify(request)),
      );
      entries = [...entries, entry];
      return entry.fault;
    },
    async clear() {
      entries = [];
      await write((database) => database.exec('DELETE FROM faults'));
    },
  };
}

function load(database: DatabaseSync): readonly Entry[] {
  database.exec(TABLE);
  const rows = database.prepare('SELECT id, fired, request FROM faults ORDER BY id').all();
  return rows.map(({ id, fired, request }) => {
    const parsed = JSON.parse(String(request)) as FaultRequest;
    return { id: Number(id), fault: { ...parsed, fired: Number(fired) } };
  });
}
