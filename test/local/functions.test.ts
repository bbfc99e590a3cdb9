import { expect, it } from 'vitest';
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { readFault } from '../../lib/contract/local.ts';
import { FREE } from '../../lib/core/gates.ts';
import type { JobId } from '../../lib/core/ids.ts';
import type { FaultBook } from '../../lib/local/faults.ts';
import { functions } from '../../lib/local/functions.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { examples } from '../../lib/workflows/examples.ts';

/** A book with one crash of `dispatch`. */
function book(times: number): FaultBook & { fired: number } {
  const request = readFault({ target: 'dispatch', mode: 'crash', at_call: 2, times });
  const self = {
    fired: 0,
    armed: (target: string) =>
      target === 'dispatch' && self.fired < times ? { ...request, fired: self.fired } : undefined,
    take: async (target: string) => {
      const fault = self.armed(target);
      self.fired += 1;
      return fault;
    },
    list: () => [],
    add: () => Promise.reject(new Error('not here')),
    clear: async () => {},
  };
  return self;
}

const engine: Engine = {
  ports: memoryPorts(),
  plans: examples,
  rules: {
    route: () => undefined,
    policies: {},
    gate: () => FREE,
    retryPenaltyMs: () => 0,
    hintGraceMs: 1,
    livingOwners: null,
  },
  actor: 'nobody',
};
const JOB = 'j1' as JobId;
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('acts under the name of the function', () => {
  expect(functions(engine, book(1)).invoke('submit', () => {}).engine.actor).toBe('orchestrator:submit');
});

it('kills the run at its n-th outside call, and tells it after the firing is on record', async () => {
  const faults = book(1);
  const seen: string[] = [];
  const { engine: mine } = functions(engine, faults).invoke('dispatch', () =>
    seen.push(`crashed, fired ${faults.fired}`),
  );
  await mine.ports.jobs.read(JOB);
  void mine.ports.jobs.read(JOB).then(() => seen.push('went on'));
  await settle();
  expect(seen).toEqual(['crashed, fired 1']);
});

it('arms no more runs than the fault has firings left, and gives one back that was not used', () => {
  const all = functions(engine, book(1));
  const isArmed = ({ engine: mine }: { engine: Engine }) => mine.ports !== engine.ports;
  const first = all.invoke('dispatch', () => {});
  expect([isArmed(first), isArmed(all.invoke('dispatch', () => {}))]).toEqual([true, false]);
  first.end();
  first.end();
  expect([isArmed(all.invoke('dispatch', () => {})), isArmed(all.invoke('dispatch', () => {}))]).toEqual([true, false]);
});

it('leaves other functions alone', () => {
  expect(functions(engine, book(1)).invoke('compensate', () => {}).engine.ports).toBe(engine.ports);
});
