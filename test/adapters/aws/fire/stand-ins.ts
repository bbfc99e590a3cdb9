/** What there is no engine for, as far as our adapters can see of it: the event bus, Scheduler, functions. */
import type { CreateScheduleCommandInput } from '@aws-sdk/client-scheduler';
import { type EnvelopeResponse, HEADERS, problemResponse, successResponse } from '../../../../lib/contract/envelope.ts';
import type { Answer } from '../../../../lib/core/answers.ts';
import type { BusEvent, CallEnvelope } from '../../../../lib/ports.ts';
import type { Timeline } from '../../../../lib/testing/simulation/timeline.ts';
import { bodyOf, json } from '../exchange.ts';
import { fakeScheduler } from '../scheduler.ts';
import type { Deliver } from './wire-gate.ts';

interface Entry {
  readonly DetailType: string;
  readonly Detail: string;
}

/** Takes every entry, and tells of it. */
export function busStandIn(published: BusEvent[], now: () => number): Deliver {
  return async (request) => {
    const { Entries } = bodyOf(request) as unknown as { readonly Entries: readonly Entry[] };
    for (const { DetailType: detailType, Detail } of Entries) {
      const detail = JSON.parse(Detail);
      published.push({ eventId: detail.event_id, detailType, detail, time: now() });
    }
    return json(200, { FailedEntryCount: 0, Entries: Entries.map((_, index) => ({ EventId: `e${index}` })) });
  };
}

/** Fires into a queue, named by its ARN, when it is time. */
export function schedulerStandIn(time: Timeline, send: (targetArn: string, input: string) => Promise<void>): Deliver {
  const scheduler = fakeScheduler(time.now);
  return async (request) => {
    const Name = decodeURIComponent(request.path.split('/').at(-1) ?? '');
    const input = { ...bodyOf(request), Name } as unknown as CreateScheduleCommandInput;
    try {
      const created = scheduler.create(input);
      const at = Date.parse(`${/^at\((.*)\)$/.exec(input.ScheduleExpression ?? '')?.[1]}Z`);
      time.after(at - time.now(), () => void scheduler.fire(time.now(), send));
      return json(200, created);
    } catch (error) {
      const { name, message } = error as Error;
      return json(name === 'ConflictException' ? 409 : 400, { __type: name, message });
    }
  };
}

/** Functions behind the invoke API: they answer with the envelope, in whatever time they take. */
export function functionsStandIn(serve: (envelope: CallEnvelope) => Promise<Answer>) {
  const expected = new Map<string, CallEnvelope>();
  const nameOf = (operationId: string, attempt: string | number, topic: string): string =>
    `${operationId} ${attempt} ${topic}`;
  const deliver: Deliver = async (request) => {
    const { headers, topic } = bodyOf(request) as { headers: Record<string, string>; topic: string };
    const name = nameOf(headers[HEADERS.operationId] ?? '', headers[HEADERS.attempt] ?? '', topic);
    const envelope = expected.get(name);
    if (envelope === undefined) throw new Error(`a function was called for what nobody called: ${name}`);
    return json(200, responseOf(await serve(envelope)));
  };
  return {
    deliver,
    expect: (envelope: CallEnvelope): void => {
      const { operationId, attempt, topic } = envelope.call;
      expected.set(nameOf(operationId, attempt, topic), envelope);
    },
  };
}

function responseOf(answer: Answer): EnvelopeResponse {
  if (answer.kind === 'success') return successResponse('ok', answer.output);
  if (answer.kind === 'accepted') return successResponse('accepted', null);
  const { code, message: detail, mayHaveApplied: applied, retryAfterMs, notFound } = answer;
  const retryAfterSeconds = retryAfterMs === 0 ? undefined : Math.ceil(retryAfterMs / 1_000);
  return problemResponse(notFound ? 'not-found' : 'unexpected-error', { code, applied, detail, retryAfterSeconds });
}
