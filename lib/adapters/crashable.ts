/**
 * Kills one invocation at its n-th outside call, as a Lambda that times out or a process that is killed: the call's
 * promise never settles, nor does any later one, so no catch or finally of ours runs that a dead process would not
 * run. `before`: the call is not made. `after`: it takes effect, and nobody learns.
 * One decorator serves one invocation; what is not decorated pays nothing.
 */
import type { Ports } from '../ports.ts';

export interface CrashPlan {
  /** Which outside call, counted from 1 in the order in which they are made; Infinity only counts. */
  readonly atCall: number;
  readonly mode: 'before' | 'after';
  /** Told once, with the name of the call. */
  readonly onCrash?: (call: string) => void;
}

export interface Crashable {
  readonly ports: Ports;
  /** Names of the outside calls so far, the fatal one included. */
  calls(): readonly string[];
  crashed(): boolean;
}

/** Makes a call, or lets the invocation die at it. */
type Outside = <T>(name: string, call: () => Promise<T>) => Promise<T>;

export function crashable(ports: Ports, plan: CrashPlan): Crashable {
  const calls: string[] = [];
  let dead = false;

  const die = (name: string): void => {
    if (dead) return;
    dead = true;
    plan.onCrash?.(name);
  };
  const alive = (): boolean => !dead;

  const outside: Outside = (name, call) =>
    new Promise((resolve, reject) => {
      if (dead) return;
      const fatal = calls.push(name) === plan.atCall;
      if (fatal && plan.mode === 'before') return die(name);
      /** What came of the call is heard only while the invocation lives. */
      const heard = (settle: () => void): void => {
        if (fatal) die(name);
        if (!dead) settle();
      };
      call().then(
        (value) => heard(() => resolve(value)),
        (error: unknown) => heard(() => reject(error)),
      );
    });

  return {
    ports: { ...inner(ports, alive), ...stores(ports, outside), ...messengers(ports, outside) },
    calls: () => [...calls],
    crashed: () => dead,
  };
}

function stores(
  { jobs, values, claims, dependencies, deadLetters, audit, pauses, schedules }: Ports,
  outside: Outside,
) {
  return {
    jobs: {
      create: (job) => outside('jobs.create', () => jobs.create(job)),
      createMany: (many) => outside('jobs.createMany', () => jobs.createMany(many)),
      read: (jobId) => outside('jobs.read', () => jobs.read(jobId)),
      readMany: (jobIds) => outside('jobs.readMany', () => jobs.readMany(jobIds)),
      update: (job, expectedRevision) => outside('jobs.update', () => jobs.update(job, expectedRevision)),
      parked: (query) => outside('jobs.parked', () => jobs.parked(query)),
      due: (query) => outside('jobs.due', () => jobs.due(query)),
      list: (query) => outside('jobs.list', () => jobs.list(query)),
      putHistoryChunk: (jobId, chunk, entries) =>
        outside('jobs.putHistoryChunk', () => jobs.putHistoryChunk(jobId, chunk, entries)),
      readHistoryChunks: (jobId) => outside('jobs.readHistoryChunks', () => jobs.readHistoryChunks(jobId)),
    },
    values: {
      put: (jobId, hash, text) => outside('values.put', () => values.put(jobId, hash, text)),
      get: (jobId, hash) => outside('values.get', () => values.get(jobId, hash)),
    },
    claims: {
      claim: (intent, now, windowMs) => outside('claims.claim', () => claims.claim(intent, now, windowMs)),
    },
    dependencies: {
      list: () => outside('dependencies.list', () => dependencies.list()),
      put: (record) => outside('dependencies.put', () => dependencies.put(record)),
    },
    deadLetters: {
      put: (record) => outside('deadLetters.put', () => deadLetters.put(record)),
      settle: (deadLetterId, settlement) =>
        outside('deadLetters.settle', () => deadLetters.settle(deadLetterId, settlement)),
      get: (deadLetterId) => outside('deadLetters.get', () => deadLetters.get(deadLetterId)),
      list: (query) => outside('deadLetters.list', () => deadLetters.list(query)),
    },
    audit: {
      put: (record) => outside('audit.put', () => audit.put(record)),
      list: (query) => outside('audit.list', () => audit.list(query)),
    },
    pauses: {
      list: () => outside('pauses.list', () => pauses.list()),
      get: (id) => outside('pauses.get', () => pauses.get(id)),
      put: (pause) => outside('pauses.put', () => pauses.put(pause)),
    },
    schedules: {
      put: (record, expected) => outside('schedules.put', () => schedules.put(record, expected)),
      get: (name) => outside('schedules.get', () => schedules.get(name)),
      list: (query) => outside('schedules.list', () => schedules.list(query)),
      due: (now, limit) => outside('schedules.due', () => schedules.due(now, limit)),
    },
  } satisfies Partial<Ports>;
}

function messengers({ queue, family, timers, bus, participants, signer, wakeups }: Ports, outside: Outside) {
  return {
    queue: {
      send: (name, message, delayMs) => outside('queue.send', () => queue.send(name, message, delayMs)),
    },
    family: {
      start: (callerId, jobIds) => outside('family.start', () => family.start(callerId, jobIds)),
      report: (parent, report) => outside('family.report', () => family.report(parent, report)),
    },
    timers: { arm: (timer) => outside('timers.arm', () => timers.arm(timer)) },
    wakeups: {
      set: (when) => outside('wakeups.set', () => wakeups.set(when)),
      remove: (name) => outside('wakeups.remove', () => wakeups.remove(name)),
    },
    bus: { publish: (events) => outside('bus.publish', () => bus.publish(events)) },
    signer: {
      sign: (text) => outside('signer.sign', () => signer.sign(text)),
      verify: (text, mac) => outside('signer.verify', () => signer.verify(text, mac)),
    },
    participants: { call: (envelope) => outside('participants.call', () => participants.call(envelope)) },
  } satisfies Partial<Ports>;
}

/** Time, chance, waiting and words are not outside calls, but a dead invocation waits for nothing and says nothing. */
function inner({ changes, clock, ids, log }: Ports, alive: () => boolean) {
  const never = new Promise<never>(() => {});
  return {
    changes: {
      next: (jobId, withinMs) =>
        alive() ? changes.next(jobId, withinMs).then(() => (alive() ? undefined : never)) : never,
    },
    clock: {
      now: () => clock.now(),
      after: (ms, action) => {
        if (!alive()) return () => {};
        return clock.after(ms, () => {
          if (alive()) action();
        });
      },
    },
    ids,
    log: {
      write: (level, event, fields) => {
        if (alive()) log.write(level, event, fields);
      },
    },
  } satisfies Partial<Ports>;
}
