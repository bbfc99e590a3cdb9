/**
 * What SQLite can be for the operations: stores, queues, timers, bus, and the news of jobs written in this process.
 * Clock, identities, log and participants are the host's own.
 */
import type { Clock, Ports } from '../../ports.ts';
import { jobChanges } from '../job-changes.ts';
import { sqliteAudit } from './audit.ts';
import type { Database } from './database.ts';
import { sqliteDependencies } from './dependencies.ts';
import { type SqliteBus, sqliteBus } from './events.ts';
import { sqliteJobs } from './jobs.ts';
import { sqlitePauses } from './pauses.ts';
import { type Purge, sqlitePurge } from './purge.ts';
import { type MessageListener, type SqliteQueue, sqliteQueue } from './queue.ts';
import { sqliteClaims, sqliteDeadLetters, sqliteValues } from './records.ts';
import { noWakeups, sqliteSchedules } from './schedules.ts';
import { sqliteSigner } from './signer.ts';
import { type SqliteTimers, sqliteTimers, type TimerListener } from './timers.ts';

export interface SqlitePorts extends Omit<Ports, 'participants' | 'family' | 'clock' | 'ids' | 'log'> {
  readonly queue: SqliteQueue;
  readonly timers: SqliteTimers;
  readonly bus: SqliteBus;
  readonly purge: Purge;
}

export interface SqliteListeners {
  readonly onMessage?: MessageListener;
  readonly onTimer?: TimerListener;
}

export function sqlitePorts(database: Database, clock: Clock, listeners: SqliteListeners = {}): SqlitePorts {
  const { onMessage = () => {}, onTimer = () => {} } = listeners;
  const changes = jobChanges(clock);
  return {
    jobs: sqliteJobs(database, changes.notify),
    values: sqliteValues(database, clock),
    claims: sqliteClaims(database),
    dependencies: sqliteDependencies(database),
    deadLetters: sqliteDeadLetters(database),
    audit: sqliteAudit(database),
    pauses: sqlitePauses(database),
    schedules: sqliteSchedules(database),
    wakeups: noWakeups(),
    queue: sqliteQueue(database, clock, onMessage),
    timers: sqliteTimers(database, onTimer, onMessage),
    bus: sqliteBus(database),
    signer: sqliteSigner(database),
    changes,
    purge: sqlitePurge(database),
  };
}
