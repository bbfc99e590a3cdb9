/**
 * Ports that die with their process life. After the end no call is made and no answer is heard: promises never settle,
 * so nothing of an abandoned invocation runs, neither its next line nor its catch. This is what makes a restart inside
 * one process as abrupt as a kill.
 */
import type { Ports } from '../ports.ts';

export interface Life {
  over: boolean;
}

type AsyncMethods = Record<string, (...given: never[]) => Promise<unknown>>;

/** What is not waited for (clock, ids, log) has to know of the end by itself. */
export function mortal(ports: Ports, life: Life): Ports {
  const { clock, ids, log, queue, timers, bus, ...others } = ports;
  return {
    clock,
    ids,
    log,
    jobs: methodsOf(others.jobs, life),
    values: methodsOf(others.values, life),
    claims: methodsOf(others.claims, life),
    deadLetters: methodsOf(others.deadLetters, life),
    audit: methodsOf(others.audit, life),
    participants: methodsOf({ call: others.participants.call }, life),
    changes: methodsOf({ next: others.changes.next }, life),
    queue: methodsOf({ send: queue.send }, life),
    timers: methodsOf({ arm: timers.arm }, life),
    bus: methodsOf({ publish: bus.publish }, life),
  };
}

/** All methods of the port, which must all be asynchronous. */
export function methodsOf<T extends object>(port: T, life: Life): T {
  const methods = port as unknown as AsyncMethods;
  const wrapped: AsyncMethods = {};
  for (const name of Object.keys(methods)) {
    const method = methods[name];
    if (method === undefined) continue;
    wrapped[name] = (...given) => whileAlive(life, () => method.apply(methods, given));
  }
  return wrapped as unknown as T;
}

export function whileAlive<T>(life: Life, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (life.over) return;
    call().then(
      (value) => {
        if (!life.over) resolve(value);
      },
      (error: unknown) => {
        if (!life.over) reject(error);
      },
    );
  });
}
