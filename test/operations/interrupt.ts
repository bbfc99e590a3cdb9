/**
 * Lets something else happen at the n-th outside call of a run, just before it or just after it: another driver, a
 * cancel, a duplicate. Both go on from there.
 */
import type { Ports } from '../../lib/ports.ts';

export interface Interrupt {
  readonly atCall: number;
  readonly mode: 'before' | 'after';
  readonly action: () => Promise<void>;
}

const OUTSIDE = [
  'jobs',
  'values',
  'claims',
  'deadLetters',
  'audit',
  'schedules',
  'wakeups',
  'queue',
  'timers',
  'bus',
  'participants',
] as const;

export interface Interrupted {
  readonly ports: Ports;
  calls(): readonly string[];
}

export function interrupted(ports: Ports, interrupt: Interrupt | null): Interrupted {
  const calls: string[] = [];
  const outside = <T extends object>(name: string, port: T): T =>
    new Proxy(port, {
      get(target, member, receiver) {
        const value: unknown = Reflect.get(target, member, receiver);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const hit = calls.push(`${name}.${String(member)}`) === interrupt?.atCall;
          if (hit && interrupt?.mode === 'before') await interrupt.action();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (hit && interrupt?.mode === 'after') await interrupt.action();
          return answer;
        };
      },
    });
  const wrapped = Object.fromEntries(OUTSIDE.map((name) => [name, outside(name, ports[name])]));
  return { ports: { ...ports, ...wrapped }, calls: () => [...calls] };
}
