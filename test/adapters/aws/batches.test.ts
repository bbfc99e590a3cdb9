/** Requests that succeed and refuse a part of what they carry: what was refused is sent again, and nothing else. */
import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { DescribeEventBusCommand, PutEventsCommand, ResourceNotFoundException } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { batchesOf } from '../../../lib/adapters/aws/batches.ts';
import { awsBus } from '../../../lib/adapters/aws/bus.ts';
import { sqsQueue } from '../../../lib/adapters/aws/queue.ts';
import { LIMITS } from '../../../lib/core/limits.ts';
import { StoreError, ThrottledError } from '../../../lib/core/store-error.ts';
import type { BusEvent, Message } from '../../../lib/ports.ts';
import { idOf, T0 } from '../../contracts/jobs.ts';
import { localClients } from './clients.ts';
import { always, bodyOf, type Fault, faulty, first, instead, json } from './faulty-handler.ts';
import { freshQueues } from './queues.ts';

const clients = localClients();

beforeEach(() => {
  // Pauses of half their length, so that a run of refusals takes a third of a second.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

const hint = (n: number): Message => ({ kind: 'hint', jobId: idOf(`hint ${n}`), revision: n, hops: 0 });
const outgoing = (count: number) => Array.from({ length: count }, (_, n) => ({ message: hint(n), delayMs: 0 }));

interface Entry {
  readonly Id: string;
}

/** Takes all entries but those with these ids, for which it says `code`. */
function takingAllBut(ids: readonly string[], code: string, senderFault = false): Fault {
  return async (request, deliver) => {
    const body = bodyOf(request) as { Entries: Entry[] };
    const kept = body.Entries.filter(({ Id }) => !ids.includes(Id));
    const refused = body.Entries.filter(({ Id }) => ids.includes(Id));
    const bytes = Buffer.from(JSON.stringify({ ...body, Entries: kept }));
    const headers = { ...request.headers, 'content-length': String(bytes.length) };
    const { body: stream } = await deliver({ ...request, headers, body: bytes });
    const parts: Buffer[] = [];
    for await (const part of stream as AsyncIterable<Uint8Array>) parts.push(Buffer.from(part));
    const Failed = refused.map(({ Id }) => ({ Id, Code: code, SenderFault: senderFault, Message: 'no' }));
    return json(200, { ...JSON.parse(Buffer.concat(parts).toString()), Failed });
  };
}

describe('many messages at once', () => {
  it('go in batches of ten and arrive each', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const attempts = faulty(clients.sqs, () => null);
    await sqsQueue(clients.sqs, urls).sendAll('dispatch', outgoing(23));
    expect(attempts).toEqual(['SendMessageBatch', 'SendMessageBatch', 'SendMessageBatch']);
    expect(await revisionsIn(reader)).toEqual(Array.from({ length: 23 }, (_, n) => n));
  });

  it('are sent again where they were refused, and only those', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const attempts = faulty(clients.sqs, (operation, n) => {
      if (operation !== 'SendMessageBatch') return null;
      return n === 1 ? takingAllBut(['2', '5'], 'InternalError') : n === 2 ? takingAllBut(['5'], 'Throttled') : null;
    });
    await sqsQueue(clients.sqs, urls).sendAll('dispatch', outgoing(8));
    expect(attempts).toHaveLength(3);
    expect(await revisionsIn(reader)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    ['ThrottlingException', ThrottledError],
    ['InternalError', StoreError],
  ])('are given up after four tries with what the queue said: %s', async (code, type) => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const attempts = faulty(clients.sqs, always('SendMessageBatch', takingAllBut(['1'], code)));
    await expect(sqsQueue(clients.sqs, urls).sendAll('dispatch', outgoing(3))).rejects.toThrow(type);
    expect(attempts).toHaveLength(4);
    expect(await revisionsIn(reader)).toEqual([0, 2]);
  });

  it('do not wait for one that is refused for its own sake', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const attempts = faulty(
      clients.sqs,
      first(1, 'SendMessageBatch', takingAllBut(['4'], 'InvalidMessageContents', true)),
    );
    await expect(sqsQueue(clients.sqs, urls).sendAll('dispatch', outgoing(12))).rejects.toThrow(
      /1 entries for good \(InvalidMessageContents\)/,
    );
    expect(attempts).toHaveLength(2);
    expect(await revisionsIn(reader)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('are split by bytes as well as by number, each in its order', () => {
    const split = (sizes: number[], bytesMax: number) => batchesOf(sizes, { bytesMax, bytesOf: (size) => size });
    expect(split([4, 6, 1], 10)).toEqual([[4, 6], [1]]);
    expect(split([4, 7], 10)).toEqual([[4], [7]]);
    expect(split([11, 1], 10)).toEqual([[11], [1]]);
    expect(split(Array(11).fill(1), 100).map((batch) => batch.length)).toEqual([10, 1]);
    expect(split([], 10)).toEqual([]);
  });
});

describe('one message', () => {
  it('is refused before it is sent when it is a byte too large, counted in UTF-8', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const queue = sqsQueue(clients.sqs, urls);
    const ofBytes = (bytes: number): Message => {
      const empty = result('');
      const missing = bytes - Buffer.byteLength(JSON.stringify(empty));
      return result(`${'ü'.repeat(Math.floor(missing / 2))}${'x'.repeat(missing % 2)}`);
    };
    await queue.send('dispatch', ofBytes(LIMITS.queueMessageBytesMax), 0);
    await expect(queue.send('dispatch', ofBytes(LIMITS.queueMessageBytesMax + 1), 0)).rejects.toThrow(RangeError);
    expect(await reader.receive('dispatch', 10, 30_000)).toHaveLength(1);
  });

  it('arrives with every character that JSON can hold, also those that SQS would replace', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const text = `\u0000\u0001\n\r\t"\\ ü € 😀 \ud83d \ufffd\ufffe\uffff`;
    const sent: string[] = [];
    faulty(clients.sqs, (operation) =>
      operation === 'SendMessage'
        ? (request, deliver) => {
            sent.push(String(bodyOf(request).MessageBody));
            return deliver(request);
          }
        : null,
    );
    await sqsQueue(clients.sqs, urls).send('dispatch', result(text), 0);
    const [received] = await reader.receive('dispatch', 1, 30_000);
    expect(received?.message).toEqual(result(text));
    // The engine here keeps what the service would replace, so what was sent is looked at.
    expect(sent[0]).not.toMatch(/[\ufffe\uffff]/);
  });
});

const event = (n: number, over: Partial<BusEvent> = {}): BusEvent => {
  const eventId = `${idOf('bus')}.${n}.outcome`;
  return { eventId, detailType: 'signup:completed', detail: { event_id: eventId }, time: T0, ...over };
};

/** An answer for each entry: the code it is refused with, or null. */
const saying = (codeOf: (detail: string) => string | null): Fault =>
  instead((asked) => {
    const entries = asked.Entries as PutEventsRequestEntry[];
    const results = entries.map(({ Detail = '' }) => {
      const code = codeOf(Detail);
      return code === null ? { EventId: 'e' } : { ErrorCode: code, ErrorMessage: 'no' };
    });
    return { FailedEntryCount: results.filter((one) => 'ErrorCode' in one).length, Entries: results };
  });

/** The event ids of each request. */
function watched(plan: (n: number) => Fault): { readonly requests: string[][] } {
  const requests: string[][] = [];
  faulty(clients.events, (_operation, n) => (request, deliver) => {
    const { Entries } = bodyOf(request) as { Entries: { Detail: string }[] };
    requests.push(Entries.map(({ Detail }) => String(JSON.parse(Detail).event_id).split('.')[1] ?? ''));
    return plan(n)(request, deliver);
  });
  return { requests };
}

describe('events', () => {
  const bus = () => awsBus(clients.events, 'dacapo');
  const eleven = Array.from({ length: 11 }, (_, n) => event(n));

  it('that were refused are sent again with the same id, and only those', async () => {
    const refuse = (ids: string[]): Fault =>
      saying((detail) => (ids.some((id) => detail.includes(`.${id}.outcome`)) ? 'ThrottlingException' : null));
    const { requests } = watched((n) => refuse([['1', '3'], ['3'], []][n - 1] ?? []));
    await bus().publish(eleven.slice(0, 5));
    expect(requests).toEqual([['0', '1', '2', '3', '4'], ['1', '3'], ['3']]);
  });

  it('go ten at a time', async () => {
    const { requests } = watched(() => saying(() => null));
    await bus().publish(eleven);
    expect(requests.map((ids) => ids.length)).toEqual([10, 1]);
  });

  it('go in requests that hold no more bytes than the service takes', async () => {
    const { requests } = watched(() => saying(() => null));
    const large = (n: number): BusEvent => event(n, { detail: { ...event(n).detail, output: 'x'.repeat(100_000) } });
    await bus().publish([large(1), large(2), large(3)]);
    expect(requests).toEqual([['1', '2'], ['3']]);
  });

  it.each([
    ['ThrottlingException', ThrottledError],
    ['InternalFailure', StoreError],
  ])('are given up after four tries when %s goes on', async (code, type) => {
    const { requests } = watched(() => saying(() => code));
    await expect(bus().publish([event(1)])).rejects.toThrow(type);
    expect(requests).toHaveLength(4);
  });

  it('that were not confirmed one by one count as not taken', async () => {
    const { requests } = watched((n) => (n === 1 ? instead(() => ({ FailedEntryCount: 0 })) : saying(() => null)));
    await bus().publish([event(1)]);
    expect(requests).toEqual([['1'], ['1']]);
  });

  it('that are malformed are tried once, and said so', async () => {
    const { requests } = watched(() => saying((detail) => (detail.includes('.1.') ? 'MalformedDetail' : null)));
    await expect(bus().publish([event(1), event(2)])).rejects.toThrow(/MalformedDetail/);
    expect(requests).toEqual([['1', '2']]);
  });

  it.each([
    ['no type', event(1, { detailType: '' })],
    ['a type of 129 characters', event(1, { detailType: 'x'.repeat(129) })],
    ['a detail over the limit', event(1, { detail: { text: 'x'.repeat(LIMITS.eventDetailBytesMax) } })],
  ])('with %s are refused before anything is sent', async (_what, wrong) => {
    const { requests } = watched(() => saying(() => null));
    await expect(bus().publish([event(2), wrong])).rejects.toThrow(wrong.eventId);
    expect(requests).toEqual([]);
  });

  it('say who sends them, of what kind, when, and to which bus', async () => {
    const mock = mockClient(clients.events);
    onTestFinished(() => mock.restore());
    mock.on(PutEventsCommand).resolves({ Entries: [{ EventId: 'e' }] });
    await bus().publish([event(1, { detailType: 'x'.repeat(128) })]);
    expect(mock.commandCalls(PutEventsCommand).map(({ args }) => args[0].input)).toEqual([
      {
        Entries: [
          {
            EventBusName: 'dacapo',
            Source: 'dacapo',
            DetailType: 'x'.repeat(128),
            Detail: JSON.stringify(event(1).detail),
            Time: new Date(T0),
          },
        ],
      },
    ]);
  });
});

describe('a bus that is not there', () => {
  it('is noticed at the start, by name, and not taken for a bus that is slow', async () => {
    const mock = mockClient(clients.events);
    onTestFinished(() => mock.restore());
    mock.on(DescribeEventBusCommand).resolvesOnce({ Name: 'dacapo' });
    await awsBus(clients.events, 'dacapo').assertExists();
    mock
      .on(DescribeEventBusCommand)
      .rejects(new ResourceNotFoundException({ $metadata: { httpStatusCode: 400 }, message: 'no' }));
    await expect(awsBus(clients.events, 'dacapa').assertExists()).rejects.toThrow(/no event bus dacapa/);
  });

  it('and one that was not granted is told by the variable that is missing', async () => {
    await expect(awsBus(clients.events, null).publish([event(1)])).rejects.toThrow(/DACAPO_BUS_NAME is not set/);
    await expect(awsBus(clients.events, null).publish([])).resolves.toBeUndefined();
  });
});

function result(output: string): Message {
  const jobId = idOf('result');
  const answer = { kind: 'success', output } as const;
  const operationId = `${jobId}.tenant`;
  return {
    kind: 'result',
    jobId,
    result: { step: 'tenant', direction: 'do', operationId, attempt: 1, at: T0, answer },
  };
}

async function revisionsIn(reader: Awaited<ReturnType<typeof freshQueues>>['reader']): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const received = await reader.receive('dispatch', 10, 30_000);
    if (received.length === 0) return found.sort((a, b) => a - b);
    for (const { message } of received) if (message.kind === 'hint') found.push(message.revision);
  }
}
