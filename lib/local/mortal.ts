/**
 * Ports that die with their process life. After the end no call is made and no answer is heard: promises never settle,
 * so nothing of an abandoned invocation runs, neither its next line nor its catch. This is what makes a restart inside
 * one process as abrupt as a kill.
 */
import type { Ports } from '../ports.ts';

export interface Life {
  over: boolean;
  /** Calls under way that are at work, as opposed to those that wait for time or for a participant. */
  busy: number;
}

export function newLife(): Life {
  return { over: false, busy: 0 };
}

type AsyncMethods = Record<string, (...given: never[]) => Promise<unknown>>;

/** What is not waited for (clock, ids, log) has to know of the end by itself. */
export function mortal(ports: Ports, life: Life): Ports {
  const { clock, ids, log, queue, family, timers, bus, ...others } = ports;
  return {
    clock,
    ids,
    log,
    jobs: methodsOf(others.jobs, life),
    values: methodsOf(others.values, life),
    claims: methodsOf(others.claims, life),
    dependencies: methodsOf(others.dependencies, life),
    deadLetters: methodsOf(others.deadLetters, life),
    audit: methodsOf(others.audit, life),
    pauses: methodsOf(others.pauses, life),
    schedules: methodsOf(others.schedules, life),
    wakeups: methodsOf(others.wakeups, life),
    participants: { call: (envelope) => whileAlive(life, () => others.participants.call(envelope)) },
    changes: { next: (jobId, withinMs) => whileAlive(life, () => others.changes.next(jobId, withinMs)) },
    queue: methodsOf({ send: queue.send }, life),
    family: methodsOf({ start: family.start, report: family.report }, life),
    timers: methodsOf({ arm: timers.arm }, life),
    signer: methodsOf(others.signer, life),
    bus: methodsOf({ publish: bus.publish }, life),
  };
}

/** All methods of a port at whose calls somebody is at work; they must all be asynchronous. */
export function methodsOf<T extends object>(port: T, life: Life): T {
  const methods = port as unknown as AsyncMethods;
  const wrapped: AsyncMethods = {};
  for (const name of Object.keys(methods)) {
    const method = methods[name];
    if (method === undefined) continue;
    wrapped[name] = (...given) => atWork(life, () => method.apply(methods, given));
  }
  return wrapped as unknown as T;
}

export function atWork<T>(life: Life, call: () => Promise<T>): Promise<T> {
  return heard(life, call, 1);
}

/** For what only waits. */
export function whileAlive<T>(life: Life, call: () => Promise<T>): Promise<T> {
  return heard(life, call, 0);
}

/** @param work counted as busy until the answer is there */
function heard<T>(life: Life, call: () => Promise<T>, work: 0 | 1): Promise<T> {
  return new Promise((resolve, reject) => {
    if (life.over) return;
    life.busy += work;
    call().then(
      (value) => {
        life.busy -= work;
        if (!life.over) resolve(value);
      },
      (error: unknown) => {
        life.busy -= work;
        if (!life.over) reject(error);
      },
    );
  });
}
