import { describe, expect, it } from 'vitest';
import { type CrashPlan, crashable } from '../../lib/adapters/crashable.ts';
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { sha256Hex } from '../../lib/core/json.ts';
import type { Ports } from '../../lib/ports.ts';
import { idOf, newJob, nextWrite } from '../contracts/jobs.ts';

const job = newJob('key');
const hint = { kind: 'hint', jobId: job.jobId, revision: 1, hops: 0 } as const;

/** Three outside calls, with all that must not run around them once the invocation is dead. */
async function invocation(ports: Ports, ran: string[]): Promise<void> {
  try {
    await ports.jobs.create(job);
    ran.push('created');
    ports.clock.after(1_000, () => ran.push('timer'));
    await ports.jobs.update(nextWrite(job), job.revision);
    ran.push('updated');
    await ports.queue.send('dispatch', hint, 0);
    ran.push('sent');
  } catch {
    ran.push('catch');
  } finally {
    ran.push('finally');
  }
}

async function run(plan: Omit<CrashPlan, 'onCrash'>) {
  const outside = memoryPorts();
  const ran: string[] = [];
  const deaths: string[] = [];
  const subject = crashable(outside, { ...plan, onCrash: (call) => deaths.push(call) });
  void invocation(subject.ports, ran);
  await outside.clock.advanceAsync(60_000);
  const stored = await outside.jobs.read(job.jobId);
  const messages = await outside.queue.receive('dispatch', 10, 1);
  return { outside, ran, deaths, subject, revision: stored?.revision ?? null, sent: messages.length };
}

describe('an invocation that is killed at an outside call', () => {
  it.each([
    { atCall: 1, mode: 'before', ran: [], revision: null, sent: 0, death: 'jobs.create' },
    { atCall: 1, mode: 'after', ran: [], revision: 1, sent: 0, death: 'jobs.create' },
    { atCall: 2, mode: 'before', ran: ['created'], revision: 1, sent: 0, death: 'jobs.update' },
    { atCall: 2, mode: 'after', ran: ['created'], revision: 2, sent: 0, death: 'jobs.update' },
    { atCall: 3, mode: 'before', ran: ['created', 'updated'], revision: 2, sent: 0, death: 'queue.send' },
    { atCall: 3, mode: 'after', ran: ['created', 'updated'], revision: 2, sent: 1, death: 'queue.send' },
  ] as const)('runs nothing of ours any more, $mode call $atCall', async ({ atCall, mode, death, ...expected }) => {
    const { ran, revision, sent, deaths, subject } = await run({ atCall, mode });
    expect({ ran, revision, sent }).toEqual(expected);
    expect(deaths).toEqual([death]);
    expect(subject.crashed()).toBe(true);
    expect(subject.calls()).toHaveLength(atCall);
  });

  it('lives when the call never comes, and counts', async () => {
    const { ran, subject, deaths } = await run({ atCall: Number.POSITIVE_INFINITY, mode: 'before' });
    expect(ran).toEqual(['created', 'updated', 'sent', 'finally', 'timer']);
    expect(subject.calls()).toEqual(['jobs.create', 'jobs.update', 'queue.send']);
    expect([subject.crashed(), deaths]).toEqual([false, []]);
  });

  it('dies with the calls beside the fatal one: none of them is heard', async () => {
    const outside = memoryPorts();
    const { ports } = crashable(outside, { atCall: 2, mode: 'after' });
    const heard: string[] = [];
    const text = '{}';
    void ports.bus.publish([]).then(() => heard.push('first'));
    void ports.values.put(job.jobId, sha256Hex(text), text).then(() => heard.push('fatal'));
    void ports.changes.next(job.jobId, 10).then(() => heard.push('wait'));
    void ports.jobs.read(idOf('other')).then(() => heard.push('third'));
    await outside.clock.advanceAsync(100);
    expect(heard).toEqual(['first']);
    expect(await outside.values.get(job.jobId, sha256Hex(text))).toBe(text);
  });

  it('says nothing and waits for nothing after its death, and time is still no outside call', async () => {
    const { outside, subject } = await run({ atCall: 1, mode: 'before' });
    const { ports } = subject;
    const ran: string[] = [];
    ports.log.write('info', 'too_late', {});
    ports.clock.after(0, () => ran.push('timer'));
    void ports.changes.next(job.jobId, 1).then(() => ran.push('change'));
    void ports.jobs.read(job.jobId).then(() => ran.push('read'));
    await outside.clock.advanceAsync(10);
    expect([ran, outside.log.lines]).toEqual([[], []]);
    expect(ports.clock.now()).toBe(outside.clock.now());
    expect(ports.ids.writeId()).not.toBe('');
    expect(subject.calls()).toEqual(['jobs.create']);
  });

  it('hears errors of calls before its death as they are, and dies at a fatal one that fails', async () => {
    const outside = memoryPorts();
    const failing: Ports = { ...outside, bus: { publish: () => Promise.reject(new Error('no bus')) } };
    const { ports, crashed } = crashable(failing, { atCall: 2, mode: 'after' });
    await expect(ports.bus.publish([])).rejects.toThrow('no bus');
    const heard: string[] = [];
    void ports.bus.publish([]).catch(() => heard.push('catch'));
    await outside.clock.settle();
    expect([heard, crashed()]).toEqual([[], true]);
  });
});
