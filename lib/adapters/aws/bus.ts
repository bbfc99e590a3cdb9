/**
 * The event bus on EventBridge. PutEvents succeeds as a call also where it refused entries, and says success for a bus
 * that does not exist: so each entry's result is looked at, and the bus is looked for at the start.
 */
import {
  DescribeEventBusCommand,
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  ResourceNotFoundException,
} from '@aws-sdk/client-eventbridge';
import { AWS_VARIABLES } from '../../contract/aws-environment.ts';
import { byteLength } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { BusEvent, EventBus } from '../../ports.ts';
import { type Refused, sendInBatches } from './batches.ts';
import { calling } from './failures.ts';
import { granted } from './not-granted.ts';

export interface AwsBus extends EventBus {
  /** To be called once, before the first event: nothing else shows that the bus is missing. */
  assertExists(): Promise<void>;
}

/** The bus is not there: whatever is sent to it is lost. Any other failure to look says nothing about it. */
export class MissingBusError extends Error {
  override readonly name = 'MissingBusError';
}

const SOURCE = 'dacapo';
const DETAIL_TYPE_CHARACTERS_MAX = 128;
/** A request may hold 256 KB, each entry with its source, type and time; 240 KB of details leave room for ten of those. */
const REQUEST_BYTES_MAX = 256 * 1_024;
/** What an entry's time counts. */
const TIME_BYTES = 14;

/** Refusals that repeating does not change. */
const FOR_GOOD = /^(MalformedDetail|InvalidArgument|InvalidAccountId|NotAuthorized|AccessDenied)/;

export function awsBus(client: EventBridgeClient, busName: string | null): AwsBus {
  const bus = (): string => granted(busName, AWS_VARIABLES.busName);
  return {
    publish: async (events) => {
      if (events.length === 0) return;
      const EventBusName = bus();
      const entries = events.map((event) => entryOf(event, EventBusName));
      await sendInBatches(entries, {
        what: 'EventBridge PutEvents',
        bytesMax: REQUEST_BYTES_MAX,
        bytesOf,
        send: (batch) => put(client, batch),
      });
    },
    assertExists: async () => {
      const Name = bus();
      try {
        await calling('EventBridge DescribeEventBus', () => client.send(new DescribeEventBusCommand({ Name })));
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
        throw new MissingBusError(`there is no event bus ${Name}: deploy it, or correct ${AWS_VARIABLES.busName}`);
      }
    },
  };
}

async function put(
  client: EventBridgeClient,
  batch: readonly PutEventsRequestEntry[],
): Promise<Refused<PutEventsRequestEntry>[]> {
  const command = new PutEventsCommand({ Entries: [...batch] });
  const { Entries = [] } = await calling('EventBridge PutEvents', () => client.send(command));
  // Results stand in the order of the request. One that is missing was not confirmed.
  return batch.flatMap((entry, index) => {
    const result = Entries[index];
    if (result?.EventId !== undefined) return [];
    const code = result?.ErrorCode ?? 'unconfirmed';
    return [{ entry, code, forGood: FOR_GOOD.test(code) }];
  });
}

function entryOf(event: BusEvent, EventBusName: string): PutEventsRequestEntry {
  const { eventId, detailType } = event;
  if (detailType === '' || detailType.length > DETAIL_TYPE_CHARACTERS_MAX) {
    throw new Error(`event ${eventId}: its type needs 1 to ${DETAIL_TYPE_CHARACTERS_MAX} characters: shorten the name`);
  }
  const Detail = JSON.stringify(event.detail);
  const size = byteLength(Detail);
  if (size > LIMITS.eventDetailBytesMax) {
    throw new Error(
      `event ${eventId}: ${size} bytes of detail, at most ${LIMITS.eventDetailBytesMax}: send a reference`,
    );
  }
  return { EventBusName, Source: SOURCE, DetailType: detailType, Detail, Time: new Date(event.time) };
}

function bytesOf({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number {
  return TIME_BYTES + byteLength(Source) + byteLength(DetailType) + byteLength(Detail);
}
