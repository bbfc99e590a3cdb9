/**
 * Large documents in a running job: what they cost, how they travel, and where each limit stands, to the byte and in
 * text whose letters take more than one.
 */
import { describe, expect, it } from 'vitest';
import { busEventsOf } from '../../lib/contract/wire-event.ts';
import { type Json, jsonBytes } from '../../lib/core/json.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { poisonPlan } from '../../lib/core/poison-job.ts';
import { StoreError } from '../../lib/core/store-error.ts';
import { drive } from '../../lib/operations/drive.ts';
import { type SubmitRequest, submit } from '../../lib/operations/submit.ts';
import type { Message } from '../../lib/ports.ts';
import { sampleJob } from '../contract/sample-job.ts';
import { world } from './world.ts';

const requestOf = (input: Json, key = 'key'): SubmitRequest => ({
  callerId: 'caller',
  source: 'api',
  workflowType: 'research',
  version: null,
  input,
  idempotencyKey: key,
  correlationId: null,
  trace: null,
});

/** An input of exactly so many bytes as JSON, in letters of two bytes. */
function questionOf(bytes: number): Json {
  const room = bytes - jsonBytes({ question: '' });
  return { question: 'ü'.repeat(Math.floor(room / 2)) + (room % 2 === 1 ? 'x' : '') };
}

describe('an input', () => {
  it.each([-1, 0])('of %i bytes beside the limit is taken, and the job runs to its end', async (beside) => {
    const where = world();
    const input = questionOf(LIMITS.inputBytesMax + beside);
    expect(jsonBytes(input)).toBe(LIMITS.inputBytesMax + beside);
    const taken = await where.submit(requestOf(input));
    if (taken?.kind !== 'created') throw new Error('the job was not created');
    expect(await where.untilQuiet(taken.job.jobId, 60_000)).toBe(true);
    expect((await where.ports.jobs.read(taken.job.jobId))?.state).toBe('COMPLETED');
  });

  it('a byte over the limit is refused, and makes no job', async () => {
    const where = world();
    const result = await submit(where.engine('submit'), requestOf(questionOf(LIMITS.inputBytesMax + 1)));
    expect(result).toMatchObject({ kind: 'refused', code: 'ORCH_PAYLOAD_TOO_LARGE' });
    expect(where.outsideCalls()).toEqual([]);
  });

  it('of the largest size costs one value more to store, and no other write', async () => {
    const callsFor = async (input: Json): Promise<Map<string, number>> => {
      const where = world();
      const taken = await where.submit(requestOf(input));
      if (taken?.kind !== 'created') throw new Error('the job was not created');
      expect(await where.untilQuiet(taken.job.jobId, 60_000)).toBe(true);
      const counts = new Map<string, number>();
      for (const call of where.outsideCalls()) counts.set(call, (counts.get(call) ?? 0) + 1);
      return counts;
    };
    const small = await callsFor({ question: 'why?' });
    const large = await callsFor(questionOf(LIMITS.inputBytesMax));
    const differing = [...large].filter(([name, times]) => times !== (small.get(name) ?? 0));
    const values = differing.filter(([name]) => name.startsWith('values.'));
    expect(differing).toEqual(values);
    // Written once, with its outputs beside it; read by the driver when it takes the job up, not at each transition.
    expect((large.get('values.get') ?? 0) - (small.get('values.get') ?? 0)).toBe(1);
  });
});

describe('an answer in hand that is larger than a message', () => {
  it('goes to the queue by reference, and is folded in whole from there, without another call', async () => {
    const output = { findings: ['ü'.repeat(LIMITS.queueMessageBytesMax)] };
    let served = 0;
    const where = world({
      serve: async ({ call }) => {
        served += 1;
        if (call.topic === 'research:mine') return { kind: 'success', output };
        if (call.topic === 'research:audit') return { kind: 'success', output: { accepted: [], rejected: [] } };
        return { kind: 'success', output: { plan: [] } };
      },
    });
    const taken = await where.submit(requestOf({ question: 'why?' }));
    if (taken?.kind !== 'created') throw new Error('the job was not created');
    const { jobId } = taken.job;
    const engine = where.engine('dispatch');
    const { jobs, queue } = where.ports;
    const update: typeof jobs.update = (job, revision) =>
      revision === 0 ? jobs.update(job, revision) : Promise.reject(new StoreError('the store is down'));
    const broken = { ...engine, ports: { ...engine.ports, jobs: { ...jobs, update } } };
    const run = drive(broken, { jobId, kind: 'forward', remainingMs: () => 100_000, hops: 0 });
    await expect(run).rejects.toThrow('the store is down');

    const [sent] = (await queue.receive('dispatch', 10, 1)).map(({ message }) => message).filter(isResult);
    expect(sent?.result.answer).toEqual({ kind: 'success', output: null, storedAs: expect.any(String) });
    expect(jsonBytes(sent as unknown as Json)).toBeLessThan(1_000);
    where.ports.clock.advance(1_000);
    expect(await where.untilQuiet(jobId, 86_400_000)).toBe(true);
    expect((await jobs.read(jobId))?.state).toBe('COMPLETED');
    expect(served).toBe(3);
  });

  it('that cannot be put anywhere keeps no other answer from its way', async () => {
    const where = world({
      serve: async ({ call }) => ({
        kind: 'success',
        output:
          call.topic === 'tenant:create' ? { tenant_id: 'x'.repeat(LIMITS.queueMessageBytesMax) } : { account_id: 'a' },
      }),
    });
    const signup = { company: 'Acme', email: 'ada@acme.example', plan: 'free' };
    const taken = await where.submit({ ...requestOf(signup), workflowType: 'signup' });
    if (taken?.kind !== 'created') throw new Error('the job was not created');
    const engine = where.engine('dispatch');
    const { jobs, values, queue } = where.ports;
    const down = () => Promise.reject(new StoreError('the store is down'));
    const ports = {
      ...engine.ports,
      values: { ...values, put: down },
      jobs: {
        ...jobs,
        update: (...given: Parameters<typeof jobs.update>) => (given[1] === 0 ? jobs.update(...given) : down()),
      },
    };
    const request = { jobId: taken.job.jobId, kind: 'forward', remainingMs: () => 100_000, hops: 0 } as const;
    await expect(drive({ ...engine, ports }, request)).rejects.toThrow('the store is down');
    const sent = (await queue.receive('dispatch', 10, 1)).map(({ message }) => message).filter(isResult);
    expect(sent.map(({ result }) => result.step)).toEqual(['billing']);
  });
});

function isResult(message: Message): message is Extract<Message, { kind: 'result' }> {
  return message.kind === 'result';
}

describe('the detail of an event', () => {
  const plan = poisonPlan('signup', undefined);
  const [entry] = sampleJob.history.slice(-1);
  const due = { entry, outcome: 'completed', supersedes: null, review: false, deadLetter: false };
  const detailOf = (text: string) => {
    const job = { ...sampleJob, output: { data: { text }, hash: null } };
    return busEventsOf(job, plan, due as never)[0]?.detail ?? {};
  };

  it('holds the output up to its last byte, and a reference from the next one on', () => {
    const most = LIMITS.eventDetailBytesMax;
    const room = most - jsonBytes(detailOf(''));
    const text = 'ü'.repeat(Math.floor(room / 2)) + (room % 2 === 1 ? 'x' : '');
    expect(jsonBytes(detailOf(text.slice(0, -1)))).toBeLessThan(most);
    expect(jsonBytes(detailOf(text))).toBe(most);
    expect(detailOf(text)).toHaveProperty('output.text', text);
    const over = detailOf(`${text}x`);
    expect(over).not.toHaveProperty('output');
    expect(over).toMatchObject({ output_ref: `/jobs/${sampleJob.jobId}` });
    expect(jsonBytes(over)).toBeLessThan(2_000);
  });
});
