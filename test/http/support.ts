/** The router over memory ports, the real operations and participants that answer as a test says. */

import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { recordingParticipants } from '../../lib/adapters/memory/recorders.ts';
import { apiDocuments } from '../../lib/contract/api-documents.ts';
import { type Answer, failure } from '../../lib/core/answers.ts';
import type { Call } from '../../lib/core/events.ts';
import { FREE } from '../../lib/core/gates.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { createApp } from '../../lib/http/app.ts';
import { localCaller } from '../../lib/local/caller.ts';
import { drive } from '../../lib/operations/drive.ts';
import type { Engine, PlanCatalog } from '../../lib/operations/engine.ts';
import { examples } from '../../lib/workflows/examples.ts';

export const SIGNUP = { company: 'Acme', email: 'ada@example.com', plan: 'free' };

const OUTPUTS: Record<string, Answer> = {
  'tenant:create': { kind: 'success', output: { tenant_id: 't1' } },
  'billing:setup': { kind: 'success', output: { account_id: 'a1' } },
  'user:create': { kind: 'success', output: { user_id: 'u1' } },
};

export function refusedWith(code: string, message = 'because'): Answer {
  return failure(code, message, false);
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly raw?: string | ReadableStream;
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  // biome's rule against any would be right in lib; here a test reads what it expects.
  readonly body: Record<string, unknown>;
}

export function house(
  answers: (call: Call, token: string | null) => Answer | Promise<Answer> | undefined = () => undefined,
  plans: PlanCatalog = examples,
) {
  const participants = recordingParticipants(
    ({ call, callbackToken = null }) =>
      answers(call, callbackToken) ?? OUTPUTS[call.topic] ?? { kind: 'success', output: null },
  );
  const ports = memoryPorts({ participants });
  const engine: Engine = {
    ports,
    plans,
    actor: 'orchestrator:dispatch',
    rules: {
      route: (topic) => ({ target: topic.split(':')[0] ?? '', fencing: true, maxRunMs: 10_000 }),
      policies: {},
      gate: () => FREE,
      retryPenaltyMs: () => 0,
      hintGraceMs: LIMITS.hintGraceMs,
      livingOwners: null,
    },
  };
  const run = (jobId: JobId, kind: 'forward' | 'recovery'): Promise<unknown> =>
    drive(engine, { jobId, kind, remainingMs: () => LIMITS.dispatchTimeoutMs, hops: 0 });
  const drives = { started: [] as { jobId: JobId; waited: boolean }[], fail: false, hold: false };
  const app = createApp({
    engine,
    caller: localCaller,
    documents: apiDocuments(examples),
    door: {
      started: ({ jobId }, waited) => {
        drives.started.push({ jobId, waited });
        if (drives.fail) throw new Error('the function could not be invoked');
        if (!drives.hold) void run(jobId, 'forward').then(() => run(jobId, 'recovery'));
      },
    },
  });
  const ask = async (path: string, { method, headers = {}, body, raw }: Ask = {}): Promise<Told> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const length = typeof sent === 'string' ? { 'content-length': String(Buffer.byteLength(sent)) } : {};
    const response = await app.request(path, {
      method: method ?? (sent === undefined ? 'GET' : 'POST'),
      headers: { ...length, ...headers },
      ...(sent === undefined ? {} : { body: sent, duplex: 'half' }),
    } as RequestInit);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const submit = (headers: Record<string, string> = {}, body: unknown = SIGNUP, query = '') =>
    ask(`/workflows/signup/jobs${query}`, { headers, body });
  return { app, ask, submit, drives, engine, ports, run };
}

export const WAIT = { prefer: 'wait=10' };
