import { describe, expect, it } from 'vitest';
import { readDoor } from '../../lib/contract/doors.ts';
import { readMessage } from '../../lib/contract/messages.ts';
import { deadLetterIdOf } from '../../lib/core/ids.ts';
import { receive } from '../../lib/operations/receive.ts';
import { redrive } from '../../lib/operations/redrive.ts';
import { type World, world } from './world.ts';

const STRANGER = `j${'a'.repeat(26)}`;
const submit = { workflow_type: 'signup', input: { company: 'Acme', email: 'a@b.example', plan: 'free' } };
const hint = (jobId: string) => ({ kind: 'hint', jobId, revision: 0, hops: 3 });
const given = (here: World, document: unknown, id = 'm-1') => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return redrive(here.engine('dead-letter'), readMessage(text, here.ports.clock.now()), readDoor(text, id));
};

describe('what a queue gave up on', () => {
  it('about a job goes on its way again, later, whatever it was', async () => {
    const here = world();
    const { job } = await receive(here.engine('intake'), readDoor(JSON.stringify(submit), 'm-0'));
    await here.ports.queue.receive('dispatch', 10, 1_000_000);
    const answer = { operation_id: `${job.jobId}.tenant`, attempt: 1, statusCode: 'ok', body: '{}' };
    expect(await given(here, hint(job.jobId))).toBe('redriven');
    expect(await given(here, answer)).toBe('redriven');
    expect(await here.ports.queue.receive('dispatch', 10, 1_000)).toEqual([]);
    here.ports.clock.advance(900_000);
    const again = await here.ports.queue.receive('dispatch', 10, 1_000);
    expect(again.map(({ message }) => message.kind).sort()).toEqual(['hint', 'result']);
    expect(again.find(({ message }) => message.kind === 'hint')?.message).toEqual(hint(job.jobId));
  });

  it('about a job that does not exist is a poison message, once however often it comes', async () => {
    const here = world();
    expect([await given(here, hint(STRANGER)), await given(here, hint(STRANGER))]).toEqual(['poison', 'poison']);
    const { items } = await here.ports.deadLetters.list({
      callerId: null,
      reason: 'poison_message',
      workflowType: null,
      status: null,
      limit: 10,
      after: null,
    });
    expect(items).toHaveLength(1);
    expect(items[0]?.deadLetterId).toBe(deadLetterIdOf(items[0]?.jobId ?? (STRANGER as never)));
  });

  it('that is a submit becomes its job after all; anything else is recorded', async () => {
    const here = world();
    expect(await given(here, submit)).toBe('received');
    expect(
      (
        await here.ports.jobs.list({
          callerId: null,
          state: 'PENDING',
          workflowType: null,
          correlationId: null,
          from: null,
          to: null,
          limit: 5,
          after: null,
        })
      ).items,
    ).toHaveLength(1);
    expect(await given(here, 'garbage', 'm-2')).toBe('received');
    expect(here.ports.bus.published.map(({ detailType }) => detailType)).toContain('job.dead_lettered');
  });
});
