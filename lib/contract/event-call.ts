/**
 * A call as an event: its type is the topic, its detail what an envelope says. The operation's id is the event's, so
 * that whoever hears it twice knows.
 */
import type { JsonObject } from '../core/json.ts';
import { type OutgoingCall, requestOf } from './envelope.ts';

export interface EventCall {
  readonly eventId: string;
  readonly detailType: string;
  readonly detail: JsonObject;
}

export function eventCallOf(outgoing: OutgoingCall): EventCall {
  const { call, jobId, correlationId } = outgoing;
  const { headers } = requestOf(outgoing);
  const eventId = call.operationId;
  const detail = { event_id: eventId, job_id: jobId, correlation_id: correlationId, headers, body: call.body };
  return { eventId, detailType: call.topic, detail };
}

/** What the step has to show for it: nobody answers an event. */
export function eventTaken({ eventId }: EventCall): JsonObject {
  return { event_id: eventId };
}
