/**
 * Stands between the SDK's clients and what they talk to, below the SDK's retries. Each HTTP attempt of a function takes
 * a while, and may go wrong: lost on its way, lost on its way back, refused, unanswered, made twice; the function may die
 * or stand still at it. What a dead function would still send is never sent.
 */
import type { Chance } from '../../../../lib/testing/simulation/chance.ts';
import type { CallName, Fault, FaultPlan, Port } from '../../../../lib/testing/simulation/faults.ts';
import { type Invocation, kill, runLater } from '../../../../lib/testing/simulation/invocation.ts';
import type { RunRecord } from '../../../../lib/testing/simulation/record.ts';
import type { Timeline } from '../../../../lib/testing/simulation/timeline.ts';
import { bodyOf, json, operationOf, type SentRequest, type SentResponse, socketError } from '../exchange.ts';
import { running } from './time.ts';

/** Makes the exchange for real. */
export type Deliver = (request: SentRequest) => Promise<SentResponse>;
export type Exchange = (
  request: SentRequest,
  options?: { readonly abortSignal?: AbortSignal },
) => Promise<SentResponse>;

export interface GateOptions {
  readonly time: Timeline;
  readonly record: RunRecord;
  readonly faults: FaultPlan;
  readonly chance: Chance;
}

export interface WireGate {
  through(port: Port, deliver: Deliver): Exchange;
}

/** Sizes of an error: it hits one attempt, which the SDK repeats, or every attempt of the same call. */
export const ONCE = 1;
export const ALWAYS = 3;

/** A network within one region. */
const LATENCY_MS_MAX = 20;
/** As the clients are told: after that they give up on an attempt. */
const PATIENCE_MS = 3_000;

const never = new Promise<never>(() => {});

export function wireGate({ time, record, faults, chance }: GateOptions): WireGate {
  /** Calls, by the name that the SDK gives to all attempts of one, that go wrong to their end. */
  const doomed = new Map<string, Fault>();
  const faultOf = (by: Invocation, name: CallName, call: string): Fault | null => {
    const site = record.called(by, name, by.jobId);
    const fault = doomed.get(call) ?? faults.at(site);
    if (fault === null) return null;
    record.happened(site, fault);
    if (fault.size === ALWAYS || (fault.size === 0 && chance.often(0.5))) doomed.set(call, fault);
    return fault;
  };
  const wait = (by: Invocation, ms: number): Promise<void> =>
    new Promise((resolve) => {
      runLater(time, by, ms, resolve);
    });
  return {
    through: (port, deliver) => async (request, options) => {
      const by = running.getStore();
      if (by === undefined) return deliver(request);
      if (!by.alive) return never;
      const fault = faultOf(by, nameOf(port, request), request.headers['amz-sdk-invocation-id'] ?? '');
      const ended = endOf(options?.abortSignal);
      const attempt = async (): Promise<SentResponse> => {
        await wait(by, chance.next() * LATENCY_MS_MAX);
        const response = await meet(fault, { port, request, deliver, by, time, wait });
        return by.alive ? response : never;
      };
      return Promise.race([attempt(), ended]);
    },
  };
}

/** As the simulation calls the two whose answers may be old, or partly a refusal. */
function nameOf(port: Port, request: SentRequest): CallName {
  if (port === 'bus') return 'bus.publish';
  const operation = operationOf(request);
  return operation === 'Query' && 'IndexName' in bodyOf(request) ? 'jobs.due' : `${port}.${operation}`;
}

function endOf(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) return never;
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' })));
  });
}

interface Meeting {
  readonly port: Port;
  readonly request: SentRequest;
  readonly deliver: Deliver;
  readonly by: Invocation;
  readonly time: Timeline;
  wait(by: Invocation, ms: number): Promise<void>;
}

async function meet(fault: Fault | null, meeting: Meeting): Promise<SentResponse> {
  const { port, request, deliver, by, time, wait } = meeting;
  const size = fault?.size ?? 0;
  switch (fault?.mode) {
    case 'crash_before':
      kill(by);
      return never;
    case 'crash_after':
      await deliver(request);
      kill(by);
      return never;
    case 'error_before':
      throw socketError('ECONNREFUSED');
    case 'error_after':
      await deliver(request);
      if (size === ONCE) throw socketError('ECONNRESET');
      return json(500, { __type: 'InternalServerError', message: 'failed' });
    case 'throttle':
      return json(port === 'participants' ? 429 : 400, { __type: tooMany(port), message: 'slow down' });
    case 'slow':
      await deliver(request);
      if (port === 'participants') return never;
      await wait(by, PATIENCE_MS);
      throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
    case 'duplicate':
      // A participant is not called by a way that repeats calls.
      if (port !== 'participants') await deliver(request);
      return deliver(request);
    case 'pause_before':
    case 'pause_after': {
      const late = fault.mode === 'pause_before' && port !== 'participants';
      by.pausedUntil = time.now() + size;
      const response = late ? null : await deliver(request);
      await wait(by, 0);
      return response ?? deliver(request);
    }
    case 'stale':
      return json(200, { Items: [], Count: 0, ScannedCount: 0 });
    case 'partial':
      return partly(request, deliver, size);
    default:
      return deliver(request);
  }
}

function tooMany(port: Port): string {
  return port === 'participants' ? 'TooManyRequestsException' : 'ThrottlingException';
}

/** The request succeeds, and says of some entries that they were not taken. */
async function partly(request: SentRequest, deliver: Deliver, taken: number): Promise<SentResponse> {
  const asked = bodyOf(request) as { Entries: readonly object[] };
  const Entries = asked.Entries.map((_, index) =>
    index < taken ? { EventId: `partly-${index}` } : { ErrorCode: 'InternalFailure', ErrorMessage: 'not taken' },
  );
  await deliver({ ...request, body: Buffer.from(JSON.stringify({ Entries: asked.Entries.slice(0, taken) })) });
  return json(200, { FailedEntryCount: Math.max(0, Entries.length - taken), Entries });
}
