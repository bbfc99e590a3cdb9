import { expect, it } from 'vitest';
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { atWork, mortal, newLife, whileAlive } from '../../lib/local/mortal.ts';
import { quiet } from '../../lib/local/quiet.ts';

const JOB = 'j1' as JobId;
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('passes calls and answers, also bad ones, while the life lasts', async () => {
  const ports = mortal(memoryPorts(), newLife());
  expect(await ports.jobs.read(JOB)).toBeNull();
  await expect(whileAlive(newLife(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('neither hears an answer that was under way at the end, nor a failure', async () => {
  const life = newLife();
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
  const ports = mortal(under, { ...newLife(), over: true });
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

it('is quiet when nobody is at work, also between two calls of one run, and does not wait for those who wait', async () => {
  const life = newLife();
  const seen: string[] = [];
  const work = (async () => {
    for (let call = 0; call < 3; call += 1) {
      await atWork(life, () => turn().then(() => turn()));
      await turn();
    }
    seen.push('worked');
  })();
  void whileAlive(life, () => new Promise(() => {}));
  await quiet(life);
  seen.push('quiet');
  await work;
  expect(seen).toEqual(['worked', 'quiet']);
});

it('a call that failed is not at work any more', async () => {
  const life = newLife();
  await expect(atWork(life, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(life.busy).toBe(0);
});
