import { expect, it } from 'vitest';
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { mortal, whileAlive } from '../../lib/local/mortal.ts';

const JOB = 'j1' as JobId;
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('passes calls and answers, also bad ones, while the life lasts', async () => {
  const ports = mortal(memoryPorts(), { over: false });
  expect(await ports.jobs.read(JOB)).toBeNull();
  await expect(whileAlive({ over: false }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('neither hears an answer that was under way at the end, nor a failure', async () => {
  const life = { over: false };
  const heard: string[] = [];
  const answer = Promise.withResolvers<void>();
  const failure = Promise.withResolvers<void>();
  for (const { promise } of [answer, failure]) {
    void whileAlive(life, () => promise)
      .catch(() => heard.push('caught'))
      .then(() => heard.push('went on'))
      .finally(() => heard.push('cleaned up'));
  }
  life.over = true;
  answer.resolve();
  failure.reject(new Error('closed'));
  await turn();
  expect(heard).toEqual([]);
});

it('makes no call any more, at whichever port', async () => {
  const under = memoryPorts();
  const ports = mortal(under, { over: true });
  const heard: unknown[] = [];
  const hint = { kind: 'hint', jobId: JOB, revision: 0, hops: 0 } as const;
  const asked = [
    ports.jobs.read(JOB),
    ports.values.get(JOB, 'h'),
    ports.claims.claim('i', 0, 1),
    ports.deadLetters.get('d'),
    ports.queue.send('dispatch', hint, 0),
    ports.timers.arm({ name: 'n', at: 0, queue: 'dispatch', message: hint }),
    ports.bus.publish([]),
    ports.changes.next(JOB, 0),
  ];
  for (const promise of asked) void promise.then(() => heard.push(promise));
  await turn();
  expect(heard).toEqual([]);
  expect(under.queue.nextVisibleAt('dispatch')).toBeNull();
});
