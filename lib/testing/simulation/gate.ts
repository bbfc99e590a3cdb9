/**
 * The ports of one invocation. Every call to the outside takes time, so others come between; and at every call the
 * fault plan may have it go wrong. Invariant: what has been sent arrives, whatever becomes of its sender meanwhile;
 * what was not sent never does.
 */

import { queueFamily } from '../../adapters/memory/family.ts';
import { StoreError, ThrottledError } from '../../core/store-error.ts';
import type { CommandQueue, Ports } from '../../ports.ts';
import type { Behind } from './behind.ts';
import type { Chance } from './chance.ts';
import type { CallName, Fault } from './faults.ts';
import { type Invocation, kill, runLater } from './invocation.ts';
import { callParticipant } from './participant-call.ts';
import type { Timeline } from './timeline.ts';

type Outside = <T>(name: CallName, about: string | null, make: (fault: Fault | null) => Promise<T>) => Promise<T>;

export function gated(behind: Behind, by: Invocation): Ports {
  const outside = outsideOf(behind, by);
  return {
    ...records(behind, outside),
    ...jobs(behind, outside),
    ...messengers(behind, by, outside),
    ...inner(behind, by),
  };
}

/** A network within one region: some milliseconds, now and then for the answer too. */
const LATENCY_MS_MAX = 20;
/** How often a call takes effect well before its answer is heard. */
const SHARE_HEARD_LATER = 0.25;

function outsideOf({ time, faults, chance, called, fired }: Behind, by: Invocation): Outside {
  const aWhile = (): number => chance.between(1, LATENCY_MS_MAX);
  return <T>(name: CallName, about: string | null, make: (fault: Fault | null) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (!by.alive) return;
      const site = called(by, name, about);
      const fault = faults.at(site);
      const hear = (settle: () => void, ms = 0): void => {
        if (ms > 0 || by.pausedUntil > time.now()) runLater(time, by, ms, settle);
        else if (by.alive) settle();
      };
      /** The call takes effect after a while; `then` gets what the caller is to hear. */
      const arrive = (ms: number, then: (settle: () => void) => void): void => {
        time.soon(ms, () => {
          make(fault).then(
            (value) => then(() => resolve(value)),
            (error: unknown) => then(() => reject(error)),
          );
        });
      };
      if (fault === null) {
        const answerMs = chance.often(SHARE_HEARD_LATER) ? aWhile() : 0;
        arrive(aWhile(), (settle) => hear(settle, answerMs));
        return;
      }
      fired(site, fault);
      goWrong(fault, { time, by, chance, arrive, hear, reject, aWhile });
    });
}

interface Going {
  readonly time: Timeline;
  readonly by: Invocation;
  readonly chance: Chance;
  arrive(ms: number, then: (settle: () => void) => void): void;
  hear(settle: () => void, ms?: number): void;
  reject(error: unknown): void;
  aWhile(): number;
}

function goWrong(fault: Fault, { time, by, chance, arrive, hear, reject, aWhile }: Going): void {
  const unavailable = (): void => reject(new StoreError('the service did not answer'));
  switch (fault.mode) {
    case 'crash_before':
      kill(by);
      return;
    case 'crash_after':
      arrive(aWhile(), () => kill(by));
      return;
    case 'error_before':
      hear(unavailable, aWhile());
      return;
    case 'error_after':
      arrive(aWhile(), () => hear(unavailable));
      return;
    case 'throttle':
      hear(() => reject(new ThrottledError('too many requests')), aWhile());
      return;
    case 'slow':
      if (chance.often(0.5)) arrive(fault.size, hear);
      else arrive(aWhile(), (settle) => hear(settle, fault.size));
      return;
    case 'duplicate':
      arrive(aWhile(), () => arrive(chance.between(1, 500), hear));
      return;
    case 'pause_before':
      by.pausedUntil = time.now() + fault.size;
      arrive(fault.size + aWhile(), hear);
      return;
    case 'pause_after':
      by.pausedUntil = time.now() + fault.size;
      arrive(aWhile(), hear);
      return;
    case 'stale':
    case 'partial':
    case 'lose':
    case 'delay':
      // These are for whoever takes the call to do.
      arrive(aWhile(), hear);
      return;
  }
}

function records({ stores }: Behind, outside: Outside) {
  const { values, claims, dependencies, deadLetters, audit, pauses, schedules } = stores;
  return {
    values: {
      put: (jobId, hash, text) => outside('values.put', jobId, () => values.put(jobId, hash, text)),
      get: (jobId, hash) => outside('values.get', jobId, () => values.get(jobId, hash)),
    },
    claims: {
      claim: (intent, now, windowMs) => outside('claims.claim', null, () => claims.claim(intent, now, windowMs)),
    },
    dependencies: {
      list: () => outside('dependencies.list', null, () => dependencies.list()),
      put: (record) => outside('dependencies.put', null, () => dependencies.put(record)),
    },
    deadLetters: {
      put: (record) => outside('deadLetters.put', record.jobId, () => deadLetters.put(record)),
      settle: (id, settlement) => outside('deadLetters.settle', id.slice(1), () => deadLetters.settle(id, settlement)),
      get: (id) => outside('deadLetters.get', id.slice(1), () => deadLetters.get(id)),
      list: (query) => outside('deadLetters.list', null, () => deadLetters.list(query)),
    },
    audit: {
      put: (record) => outside('audit.put', record.jobId, () => audit.put(record)),
      list: (query) => outside('audit.list', query.jobId, () => audit.list(query)),
    },
    pauses: {
      list: () => outside('pauses.list', null, () => pauses.list()),
      get: (id) => outside('pauses.get', null, () => pauses.get(id)),
      put: (pause) => outside('pauses.put', null, () => pauses.put(pause)),
    },
    schedules: {
      put: (record, expected) => outside('schedules.put', null, () => schedules.put(record, expected)),
      get: (name) => outside('schedules.get', null, () => schedules.get(name)),
      list: (query) => outside('schedules.list', null, () => schedules.list(query)),
      due: (now, limit) => outside('schedules.due', null, () => schedules.due(now, limit)),
    },
    wakeups: {
      set: () => outside('wakeups.set', null, async () => {}),
      remove: () => outside('wakeups.remove', null, async () => {}),
    },
  } satisfies Partial<Ports>;
}

function jobs({ stores, index }: Behind, outside: Outside) {
  const { jobs } = stores;
  return {
    jobs: {
      create: (job) => outside('jobs.create', job.jobId, () => jobs.create(job)),
      // Each of them is a write of its own, after which the next may not come.
      createMany: async (many) => {
        for (const job of many) await outside('jobs.create', job.jobId, () => jobs.create(job));
      },
      read: (jobId) => outside('jobs.read', jobId, () => jobs.read(jobId)),
      readMany: (jobIds) => outside('jobs.readMany', null, () => jobs.readMany(jobIds)),
      update: (job, expectedRevision) => outside('jobs.update', job.jobId, () => jobs.update(job, expectedRevision)),
      // Most shards are empty, and looking at those decides nothing.
      due: (query) =>
        index.isEmpty(query.shard)
          ? Promise.resolve({ items: [], next: null })
          : outside('jobs.due', null, async (fault) => index.due(query, fault?.mode === 'stale' ? fault.size : 0)),
      parked: (query) => outside('jobs.parked', null, () => jobs.parked(query)),
      list: (query) => outside('jobs.list', null, () => jobs.list(query)),
      putHistoryChunk: (jobId, chunk, entries) =>
        outside('jobs.putHistoryChunk', jobId, () => jobs.putHistoryChunk(jobId, chunk, entries)),
      readHistoryChunks: (jobId) => outside('jobs.readHistoryChunks', jobId, () => jobs.readHistoryChunks(jobId)),
    },
  } satisfies Partial<Ports>;
}

function messengers(behind: Behind, by: Invocation, outside: Outside) {
  const { mail, stores } = behind;
  const queue: CommandQueue = {
    send: (name, message, delayMs) =>
      outside('queue.send', message.jobId, (fault) => mail.send(name, message, delayMs, fault)),
  };
  return {
    queue,
    family: queueFamily(queue),
    timers: { arm: (timer) => outside('timers.arm', timer.message.jobId, (fault) => mail.arm(timer, fault)) },
    bus: {
      publish: (events) =>
        outside('bus.publish', null, async (fault) => {
          if (fault?.mode !== 'partial') return stores.bus.publish(events);
          await stores.bus.publish(events.slice(0, fault.size));
          throw new StoreError('some entries were not taken');
        }),
    },
    participants: { call: (envelope) => callParticipant(behind, by, envelope) },
  } satisfies Partial<Ports>;
}

/** Time, chance and words are no calls, but its own clock may be wrong, and a dead invocation waits for nothing. */
function inner({ time, stores, ids, log }: Behind, by: Invocation) {
  return {
    clock: {
      now: () => time.now() + by.skewMs,
      after: (ms, action) => runLater(time, by, Math.ceil(ms), action),
    },
    changes: {
      next: (jobId, withinMs) =>
        new Promise((resolve) => {
          void stores.changes.next(jobId, withinMs).then(() => runLater(time, by, 0, resolve));
        }),
    },
    ids,
    signer: stores.signer,
    log: {
      write: (level, event, fields) => {
        if (by.alive) log.write(level, event, fields);
      },
    },
  } satisfies Partial<Ports>;
}
