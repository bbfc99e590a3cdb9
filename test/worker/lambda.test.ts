/** A service as a function: whoever invokes it gets an answer, and a queue's message leaves only when its result is sent. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readMessage } from '../../lib/contract/messages.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import type { CommandResult } from '../../lib/worker/commands.ts';
import { type Call, forward, memoryOperations, Refusal, service, undoOf } from '../../lib/worker/index.ts';
import { type QueueAnswer, serve } from '../../lib/worker/lambda.ts';
import { type Ask, gate, request, told } from './support.ts';

const shape = { input: z.object({ amount: z.number() }), output: z.object({ id: z.string() }) };
const OPERATION = `${jobIdOf('ada', 'order', 'k1')}.payment`;
const charge = { topic: 'card:charge', operation: OPERATION, body: { amount: 5 } };
const REMAINING_MS = 3_000;
const context = { getRemainingTimeInMillis: () => REMAINING_MS } as Parameters<ReturnType<typeof serve>>[1];

function start(handle: (call: Call<{ amount: number }>) => Promise<{ id: string }> = async () => ({ id: 'c1' })) {
  const sent: CommandResult[] = [];
  const errors: unknown[] = [];
  const clock = { now: 1_000 };
  const queue = { broken: false };
  const card = service('card', {
    'card:charge': forward(shape, handle),
    'card:refund': undoOf('card:charge', async () => null),
  });
  const handler = serve(card, {
    store: memoryOperations(),
    now: () => clock.now,
    onError: (error) => errors.push(error),
    sendResult: async (result) => {
      if (queue.broken) throw new Error('queue is down');
      sent.push(result);
    },
  });
  const invoke = async (event: unknown) => told((await handler(event, context)) as CommandResult);
  const receive = async (...bodies: string[]) => {
    const Records = bodies.map((body, index) => ({ messageId: `m${index}`, body }));
    const { batchItemFailures } = (await handler({ Records }, context)) as QueueAnswer;
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { handler, invoke, receive, sent, errors, clock, queue };
}

const message = (asked: Ask) => JSON.stringify(request(asked));

describe('a service that is invoked', () => {
  it('answers an envelope with an envelope', async () => {
    expect(await start().invoke(request(charge))).toBe('ok {"id":"c1"}');
  });

  it.each([[null], ['text'], [{}], [{ topic: 'card:charge', headers: {}, body: { amount: 5 } }], [{ Records: 1 }]])(
    'answers what is no envelope with what to send: %j',
    async (event) => {
      expect(await start().invoke(event)).toBe('bad-request - applied:false');
    },
  );

  it('holds an operation no longer than its own time is left', async () => {
    const { promise } = gate<{ id: string }>();
    const { invoke, clock } = start(() => promise);
    void invoke(request(charge));
    await new Promise(setImmediate);
    clock.now += REMAINING_MS - 1;
    expect(await invoke(request(charge))).toBe('service-unavailable EXT_IN_PROGRESS');
    clock.now += 1;
    const undo = { topic: 'card:refund', operation: `${OPERATION}.undo`, undoOf: OPERATION };
    expect(await invoke(request(undo))).toBe('ok null');
  });

  it("answers also when another middleware throws, and tells the log what it was, never the caller's eyes", async () => {
    const { handler, invoke, errors } = start();
    handler.use({
      before: () => {
        throw new Error('secret');
      },
    });
    expect(await invoke(request(charge))).toBe('service-unavailable EXT_UNEXPECTED');
    expect(errors).toEqual([new Error('secret')]);
  });
});

describe('a service behind a queue', () => {
  it('sends the result of a command, which the orchestrator can read', async () => {
    const { receive, sent } = start();
    expect(await receive(message({ ...charge, attempt: 2 }))).toEqual([]);
    expect(sent).toMatchObject([{ operation_id: OPERATION, attempt: 2, statusCode: 'ok', body: '{"id":"c1"}' }]);
    expect(readMessage(JSON.stringify(sent[0]), 5)).toMatchObject({
      kind: 'result',
      result: { step: 'payment', direction: 'do', attempt: 2, answer: { kind: 'success', output: { id: 'c1' } } },
    });
  });

  it('sends a failure too: whether to call again is not its decision', async () => {
    const { receive, sent } = start(() => Promise.reject(new Refusal('conflict', { code: 'LEGAL_LIMIT' })));
    expect(await receive(message(charge))).toEqual([]);
    expect(sent).toMatchObject([{ statusCode: 'conflict' }]);
  });

  it('does once what came twice at the same time; the second message comes again until the first is answered', async () => {
    const { promise, open } = gate<{ id: string }>();
    const runs: number[] = [];
    const { receive, sent } = start((call) => {
      runs.push(call.attempt);
      return promise;
    });
    const first = receive(message(charge));
    await new Promise(setImmediate);
    expect(await receive(message(charge))).toEqual(['m0']);
    open({ id: 'c1' });
    expect(await first).toEqual([]);
    expect(await receive(message(charge))).toEqual([]);
    expect(runs).toEqual([1]);
    expect(sent.map(({ body }) => body)).toEqual(Array(2).fill('{"id":"c1"}'));
  });

  it('keeps a message whose result could not be sent, and sends the same one when it comes again', async () => {
    const runs: number[] = [];
    const { receive, sent, queue } = start(async () => ({ id: `c${runs.push(1)}` }));
    queue.broken = true;
    expect(await receive(message(charge))).toEqual(['m0']);
    queue.broken = false;
    expect(await receive(message(charge))).toEqual([]);
    expect(sent.map(({ body }) => body)).toEqual(['{"id":"c1"}']);
  });

  it('keeps only what nobody can be answered for, and works off its neighbours', async () => {
    const { receive, sent, errors } = start();
    const { operation: _, ...anonymous } = charge;
    expect(await receive('{', '{"topic":1}', message(anonymous), message(charge))).toEqual(['m0', 'm1', 'm2']);
    expect(sent).toHaveLength(1);
    expect(errors.map(String)).toEqual([
      expect.stringContaining('no command'),
      expect.stringContaining('no command'),
      expect.stringContaining('names no operation'),
    ]);
  });

  it('gives the whole batch back when nobody told it where results go', async () => {
    const handler = serve(service('card', {}), { store: memoryOperations(), now: () => 1 });
    await expect(handler({ Records: [] }, context)).rejects.toThrow('sendResult');
  });
});
