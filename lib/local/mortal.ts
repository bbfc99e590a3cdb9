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

export function mortal(ports: Ports, life: Life): Ports {
  return {
    jobs: methodsOf(ports.jobs, life),
    values: methodsOf(ports.values, life),
    claims: methodsOf(ports.claims, life),
    deadLetters: methodsOf(ports.deadLetters, life),
    queue: methodsOf(ports.queue, life),
    timers: methodsOf(ports.timers, life),
    bus: methodsOf(ports.bus, life),
    participants: methodsOf(ports.participants, life),
    changes: methodsOf(ports.changes, life),
    clock: ports.clock,
    ids: ports.ids,
    log: ports.log,
  };
}

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
