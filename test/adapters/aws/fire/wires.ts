/**
 * Puts the gate between each client and its engine, or its stand-in; and sees at the wire what really took place: which
 * job was stored, which message was taken, whatever the sender came to hear of it.
 */
import type { AwsClients } from '../../../../lib/adapters/aws/clients.ts';
import type { Item } from '../../../../lib/adapters/aws/items.ts';
import { jobIn, REVISION } from '../../../../lib/adapters/aws/job-item.ts';
import type { Job } from '../../../../lib/core/job.ts';
import type { Port } from '../../../../lib/testing/simulation/faults.ts';
import { bodyOf, type Handler, operationOf, type SentRequest, type SentResponse, textOf } from '../exchange.ts';
import type { WireItem } from '../faulty-handler.ts';
import type { RealTimeline } from './time.ts';
import type { Deliver, WireGate } from './wire-gate.ts';

export interface WiresOptions {
  readonly clients: AwsClients;
  readonly gate: WireGate;
  readonly time: RealTimeline;
  readonly bus: Deliver;
  readonly scheduler: Deliver;
  readonly functions: Deliver;
  stored(job: Job): void;
  taken(queueUrl: string, delayMs: number): void;
}

type Client = { config: { requestHandler: unknown } };

export function putUp({ clients, gate, time, bus, scheduler, functions, stored, taken }: WiresOptions): void {
  const wire = (client: Client, port: Port, deliver: (inner: Handler) => Deliver): void => {
    const inner = client.config.requestHandler as Handler;
    const exchange = gate.through(port, deliver(inner));
    const handler = {
      ...inner,
      handle: async (request: SentRequest, options?: object) => ({ response: await exchange(request, options) }),
    };
    client.config.requestHandler = handler;
  };
  const really = (inner: Handler, heed: (request: SentRequest) => void): Deliver => {
    return (request) =>
      time.standing(async () => {
        const response = await whole((await inner.handle(request)).response);
        if (response.statusCode === 200) heed(request);
        return response;
      });
  };
  wire(clients.dynamodb, 'jobs', (inner) =>
    really(inner, (request) => {
      const job = operationOf(request) === 'PutItem' ? jobPut(request) : null;
      if (job !== null) stored(job);
    }),
  );
  wire(clients.sqs, 'queue', (inner) =>
    really(inner, (request) => {
      if (operationOf(request) !== 'SendMessage') return;
      const { QueueUrl, DelaySeconds = 0 } = bodyOf(request) as { QueueUrl: string; DelaySeconds?: number };
      taken(QueueUrl, DelaySeconds * 1_000);
    }),
  );
  wire(clients.events, 'bus', () => bus);
  wire(clients.scheduler, 'timers', () => scheduler);
  wire(clients.lambda, 'participants', () => functions);
}

/** With its body read to the end: what is still on its way would let time go on too soon. */
async function whole(response: SentResponse): Promise<SentResponse> {
  const { Readable } = await import('node:stream');
  return { ...response, body: Readable.from([Buffer.from(await textOf(response))]) };
}

function jobPut(request: SentRequest): Job | null {
  const { Item } = bodyOf(request) as { Item: WireItem };
  return REVISION in Item ? jobIn(decoded(Item)) : null;
}

function decoded(item: WireItem): Item {
  const entries = Object.entries(item).map(([name, { S, N, B }]) => {
    if (B !== undefined) return [name, { B: Buffer.from(B, 'base64') }];
    return [name, S === undefined ? { N } : { S }];
  });
  return Object.fromEntries(entries);
}
