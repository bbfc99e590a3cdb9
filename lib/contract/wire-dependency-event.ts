/** What a turn of a breaker leads to: an event on the bus for each change, an audit line for each act of a person. */
import type { Dependency, DependencyEntry } from '../core/dependency.ts';
import type { StoredAudit } from './wire-audit.ts';
import type { WireEvent } from './wire-event.ts';
import { isoTime } from './wire-time.ts';

const eventIdOf = ({ id }: Dependency, { seq, what }: DependencyEntry): string => `dependency:${id}.${seq}.${what}`;

export function eventsOfDependency(dependency: Dependency, entries: readonly DependencyEntry[]): WireEvent[] {
  return entries.map((entry) => {
    const eventId = eventIdOf(dependency, entry);
    const detail = {
      event_id: eventId,
      dependency_id: dependency.id,
      breaker: entry.what === 'opened' ? 'OPEN' : 'CLOSED',
      reason: entry.reason,
      actor: entry.actor,
      occurred_at: isoTime(entry.at),
    };
    return { eventId, detailType: `dependency.${entry.what}`, detail, time: entry.at };
  });
}

export function auditsOfDependency(dependency: Dependency, entries: readonly DependencyEntry[]): StoredAudit[] {
  return entries
    .filter(({ byPerson }) => byPerson)
    .map((entry) => ({
      auditId: eventIdOf(dependency, entry),
      at: entry.at,
      actor: entry.actor,
      action: entry.what === 'opened' ? 'open_breaker' : 'close_breaker',
      subject: `dependency:${dependency.id}`,
      jobId: null,
      result: 'done',
      reason: entry.reason,
      errorCode: null,
      detail: null,
    }));
}
