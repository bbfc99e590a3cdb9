/**
 * The only code that changes a dependency's record: read, decide, put if nobody else has, else again. What its turns
 * lead to (events, audit) is told from the record under ids that stay the same, so whoever comes later can repeat it.
 */
import { auditsOfDependency, eventsOfDependency } from '../contract/wire-dependency-event.ts';
import { type Dependency, newDependency, told, untold } from '../core/dependency.ts';
import { LIMITS } from '../core/limits.ts';
import { StoreError } from '../core/store-error.ts';
import { type Engine, sleep } from './engine.ts';

/** Losers wait up to this long: about the time a winner needs for its put. */
const CONTENTION_DELAY_MS = 20;

/**
 * @param change the next record, or null when there is nothing to change
 * @returns the record that was put; null when nothing was
 */
export async function changeDependency(
  engine: Engine,
  id: string,
  change: (dependency: Dependency, now: number) => Dependency | null,
): Promise<Dependency | null> {
  const { dependencies, clock, ids } = engine.ports;
  let held = (await dependencies.list()).find((one) => one.id === id) ?? null;
  for (let tries = 0; tries < LIMITS.applyAttemptsMax; tries += 1) {
    const next = change(held ?? newDependency(id), clock.now());
    if (next === null) {
      if (held !== null) engine.gates?.learn(held);
      return null;
    }
    const written = { ...next, writeId: ids.writeId() };
    const result = await dependencies.put(written);
    if (result.stored) {
      engine.gates?.learn(written);
      return written;
    }
    held = result.current;
    await sleep(engine, ids.random() * CONTENTION_DELAY_MS);
  }
  throw new StoreError(`the record of dependency ${id} was changed by others all the time: try again`);
}

/** Tells what the record's turns lead to; a repetition is harmless. */
export async function tellDependency(engine: Engine, dependency: Dependency): Promise<void> {
  const news = untold(dependency);
  const last = news.at(-1);
  if (last === undefined) return;
  const { audit, bus } = engine.ports;
  for (const record of auditsOfDependency(dependency, news)) await audit.put(record);
  const events = eventsOfDependency(dependency, news);
  if (events.length > 0) await bus.publish(events);
  await changeDependency(engine, dependency.id, (now) => (now.publishedSeq >= last.seq ? null : told(now, last.seq)));
}
