/**
 * The AsyncAPI 3.0 document: what leaves on the bus, and the submits that come in by queue, topic, bus and stream.
 * Made from the schemas that read and the definitions that name events.
 */
import * as z from 'zod';
import type { JsonObject } from '../../core/json.ts';
import type { WorkflowPlan } from '../../core/plan.ts';
import { SUBMIT } from '../doors.ts';
import { capital, namedSchemas, ref } from '../named-schemas.ts';
import { errorLogEntry, historyEntry, openEffect } from '../openapi/answers.ts';
import { anyJson } from '../schema.ts';
import { completed, EVENT_KINDS, type EventKind, failed } from './events.ts';

export const EVENT_SOURCE = 'dacapo';

/** Every detail type that these definitions can put on the bus. */
export function eventKindsOf(plans: readonly WorkflowPlan[]): Map<string, EventKind> {
  const kinds = new Map<string, EventKind>();
  for (const { type, events } of plans) {
    kinds.set(events.completed, { summary: `A job of ${type} is complete.`, detail: completed });
    kinds.set(events.failed, {
      summary: `A job of ${type} ended without success, or its undo failed.`,
      detail: failed,
    });
  }
  for (const [detailType, kind] of Object.entries(EVENT_KINDS)) kinds.set(detailType, kind);
  return kinds;
}

/** Each event as one schema that stands alone, in the draft that schema registries take. */
export function eventSchemas(plans: readonly WorkflowPlan[]): Map<string, JsonObject> {
  const draft4 = (detail: z.ZodType) => z.toJSONSchema(detail, { target: 'draft-4', io: 'input' }) as JsonObject;
  return new Map([...eventKindsOf(plans)].map(([detailType, { detail }]) => [detailType, draft4(detail)]));
}

export function asyncApiDocument(version: string, plans: readonly WorkflowPlan[]): JsonObject {
  const kinds = eventKindsOf(plans);
  const names = new Map<z.ZodType, string>([
    [anyJson, 'Json'],
    [openEffect, 'OpenEffect'],
    [historyEntry, 'HistoryEntry'],
    [errorLogEntry, 'ErrorLogEntry'],
    [completed, 'Completed'],
    [failed, 'Failed'],
    [SUBMIT, 'Submit'],
    ...Object.entries(EVENT_KINDS).map(([name, { detail }]): [z.ZodType, string] => [detail, capital(name)]),
  ]);
  const messages = Object.fromEntries(
    [...kinds].map(([detailType, { summary, detail }]) => [
      capital(detailType),
      { name: detailType, title: detailType, summary, contentType: 'application/json', payload: ref(names, detail) },
    ]),
  );
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'dacapo',
      version,
      description:
        'Outcomes of processes on the bus, at least once each; submits over queues, topics, bus and streams.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: {
      bus: {
        address: EVENT_SOURCE,
        description: `EventBridge events of the source \`${EVENT_SOURCE}\`; the name of a message is its detail-type.`,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
      submits: {
        address: 'submits',
        description: 'One submit a message: over SQS, SNS, EventBridge (as the detail) or a stream (as the record).',
        messages: { Submit: { $ref: '#/components/messages/Submit' } },
      },
    },
    operations: {
      publishEvent: { action: 'send', channel: { $ref: '#/channels/bus' } },
      receiveSubmit: { action: 'receive', channel: { $ref: '#/channels/submits' } },
    },
    components: {
      messages: {
        ...messages,
        Submit: {
          name: 'submit',
          summary: 'Starts a job. What cannot be read becomes a dead letter, never a lost message.',
          contentType: 'application/json',
          payload: ref(names, SUBMIT),
        },
      },
      schemas: namedSchemas(names),
    },
  };
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}
