import { describe, expect, it } from 'vitest';
import { readDoor } from '../../lib/contract/doors.ts';
import { wireDeadLetter } from '../../lib/contract/wire-dead-letter.ts';
import { wireJob } from '../../lib/contract/wire-job.ts';
import { deadLetterIdOf } from '../../lib/core/ids.ts';
import { JOB_TRANSITIONS } from '../../lib/core/transitions.ts';
import { receive } from '../../lib/operations/receive.ts';
import { world } from './world.ts';

const submit = { workflow_type: 'signup', input: { company: 'Acme', email: 'a@b.example', plan: 'free' } };
const message = (document: unknown, id = 'm-1') => readDoor(JSON.stringify(document), id);

describe('a submit that came by a queue', () => {
  it('becomes a job with a hint, once however often it is delivered', async () => {
    const { ports, engine } = world();
    const first = await receive(engine('intake'), message(submit));
    const again = await receive(engine('intake'), message(submit));
    expect([first.kind, again.kind]).toEqual(['job', 'duplicate']);
    expect(again.job.jobId).toBe(first.job.jobId);
    expect(first.job).toMatchObject({ state: 'PENDING', source: 'sqs', idempotencyKey: 'm-1', callerId: 'door:sqs' });
    // The second delivery sends the hint again: the first may have died before it could.
    expect((await ports.queue.receive('dispatch', 10, 1_000)).map((one) => one.message.jobId)).toEqual([
      first.job.jobId,
      first.job.jobId,
    ]);
  });

  it('stays a job when its hint cannot be sent', async () => {
    const { engine } = world();
    const deaf = engine('intake');
    const ports = { ...deaf.ports, queue: { send: () => Promise.reject(new Error('no queue')) } };
    expect((await receive({ ...deaf, ports }, message(submit))).kind).toBe('job');
  });
});

describe('a message that cannot become a job', () => {
  const bad: readonly (readonly [string, unknown, string])[] = [
    ['is no submit', { hello: 1 }, 'ORCH_MALFORMED_REQUEST'],
    ['asks for a workflow nobody knows', { ...submit, workflow_type: 'nothing' }, 'ORCH_UNKNOWN_WORKFLOW'],
    ['has an input its workflow refuses', { ...submit, input: { company: '' } }, 'CONTRACT_INPUT_INVALID'],
  ];

  it.each(bad)('that %s is a readable job in quarantine, a dead letter, and news', async (_, document, code) => {
    const { ports, engine } = world();
    const { kind, job } = await receive(engine('intake'), message(document));
    expect(kind).toBe('poison');
    const stored = await ports.jobs.read(job.jobId);
    expect(stored).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back', lastErrorCode: code, bucket: null });
    expect(wireJob(job, undefined)).toMatchObject({ current_state: 'DEAD_LETTERED', input: document, steps: [] });

    const record = await ports.deadLetters.get(deadLetterIdOf(job.jobId));
    expect(record === null ? null : wireDeadLetter(record)).toMatchObject({
      reason: 'poison_message',
      failure_error_code: code,
      payload: document,
      status: 'open',
    });
    const type = String((document as { workflow_type?: string }).workflow_type ?? 'unknown');
    expect(ports.bus.published.map((event) => event.detailType)).toEqual([`${type}:failed`, 'job.dead_lettered']);
  });

  it('takes only edges of the table', async () => {
    const { engine } = world();
    const { job } = await receive(engine('intake'), message({ hello: 1 }));
    for (const { from, to } of job.history) {
      expect(JOB_TRANSITIONS.some((edge) => edge.from === from && edge.to === to)).toBe(true);
    }
  });

  it('is the same record, with the same events, when it is delivered again', async () => {
    const { ports, engine } = world();
    const first = await receive(engine('intake'), message({ hello: 1 }));
    ports.clock.advance(60_000);
    const again = await receive(engine('intake'), message({ hello: 1 }));
    expect(again.job).toEqual(first.job);
    const [a, b, c, d] = ports.bus.published;
    expect([c, d]).toEqual([a, b]);
    expect((await receive(engine('intake'), message({ hello: 1 }, 'm-2'))).job.jobId).not.toBe(first.job.jobId);
  });

  it('under a used key is kept beside the job that has the key', async () => {
    const { ports, engine } = world();
    const named = { ...submit, idempotency_key: 'k-1' };
    const first = await receive(engine('intake'), message(named));
    const other = { ...named, input: { ...named.input, company: 'Other' } };
    const { kind, job } = await receive(engine('intake'), message(other, 'm-2'));
    expect([kind, job.lastErrorCode]).toEqual(['poison', 'ORCH_DUPLICATE_IDEMPOTENCY_KEY']);
    expect((await ports.jobs.read(first.job.jobId))?.state).toBe('PENDING');
  });
});
