/**
 * The public conformance data of the Benzene specification, run against the kit. Its folder is not part of this
 * project: set BENZENE_CONFORMANCE_DIR to it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EnvelopeRequest } from '../../lib/contract/envelope.ts';
import { httpOfStatus, isStatus, isSuccess, STATUSES, statusOfHttp } from '../../lib/contract/status.ts';
import { host, memoryOperations, Refusal, readOnly, reply, service, type TraceEvent } from '../../lib/worker/index.ts';
import { traceOf } from '../../lib/worker/trace.ts';

const folder = process.env.BENZENE_CONFORMANCE_DIR;

const conformance = service('conformance', {
  'conformance:greet': readOnly(
    { input: z.object({ name: z.string() }), output: z.object({ greeting: z.string() }) },
    ({ input }) => ({ greeting: `Hello ${input.name}` }),
  ),
  'conformance:status': readOnly(
    {
      input: z.object({ status: z.string(), errors: z.array(z.string()).optional() }),
      output: z.object({ applied: z.string() }),
    },
    ({ input: { status, errors = [] } }) => {
      if (isSuccess(status)) return reply(status, { applied: status });
      throw new Refusal(status, { errors: errors.map((message) => ({ message })) });
    },
  ),
  'conformance:panic': readOnly({ input: z.unknown(), output: z.unknown() }, () => {
    throw new Error('panic');
  }),
});

function conformanceHost(events: TraceEvent[] = []) {
  return host(conformance, { store: memoryOperations(), now: () => 1_000, onTrace: (event) => events.push(event) });
}

function data<T>(file: string): T {
  return JSON.parse(readFileSync(join(folder ?? '', file), 'utf8')) as T;
}

describe.skipIf(folder === undefined)('the conformance data of the envelope', () => {
  if (folder === undefined) {
    console.warn('skipped: BENZENE_CONFORMANCE_DIR is not set, so conformance was not checked');
    return;
  }

  const { cases } = data<{ cases: EnvelopeCase[] }>('envelope-cases.json');
  it.each(cases.map((row) => [row.name, row] as const))('envelope: %s', async (_name, { request, expected }) => {
    const response = await conformanceHost()(request);
    const body = JSON.parse(response.body) as object;
    expect(response.statusCode).toBe(expected.statusCode);
    if (expected.isSuccessful !== undefined) expect(response.isSuccessful).toBe(expected.isSuccessful);
    if (expected.body !== undefined) expect(body).toMatchObject(expected.body);
    if (expected.headers !== undefined) expect(response.headers).toMatchObject(expected.headers);
    for (const member of expected.bodyExclude ?? []) expect(body).not.toHaveProperty(member);
  });

  const { statuses } = data<{ statuses: { status: string; isSuccess: boolean }[] }>('status-vocabulary.json');
  it.each(statuses.map((row) => [row.status, row.isSuccess] as const))('vocabulary: %s', (status, success) => {
    expect(isStatus(status)).toBe(true);
    expect(isSuccess(status)).toBe(success);
  });
  it('vocabulary: is closed', () => {
    expect(Object.keys(STATUSES).sort()).toEqual(statuses.map(({ status }) => status).sort());
  });

  const mapping = data<{ forward: MappingRow[]; reverse: MappingRow[] }>('http-status-mapping.json');
  it.each(mapping.forward.map((row) => [row.from, row.isSuccessful ?? null, row.to] as const))(
    'to HTTP: %s (successful: %s) is %s',
    (from, isSuccessful, to) => {
      expect(String(httpOfStatus(from, isSuccessful ?? false))).toBe(to);
    },
  );
  it.each(mapping.reverse.map((row) => [row.from, row.to] as const))('from HTTP: %s is %s', (from, to) => {
    expect(statusOfHttp(Number(from))).toBe(to);
  });

  const traces = data<{ traceparent: TraceRow[]; invocations: InvocationRow[] }>('mesh-trace-cases.json');
  it.each(traces.traceparent.map((row) => [row.name, row] as const))('traceparent: %s', (_name, row) => {
    const trace = traceOf(row.header);
    if (row.valid) {
      expect(trace).toMatchObject({ traceId: row.traceId, parentSpanId: row.parentSpanId });
    } else {
      expect(trace.parentSpanId).toBeNull();
      expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(row.header).not.toContain(trace.traceId);
    }
  });
  it.each(traces.invocations.map((row) => [row.name, row] as const))('trace: %s', async (_name, row) => {
    const events: TraceEvent[] = [];
    await conformanceHost(events)(row.request);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject(row.expectedEvent);
  });
});

interface EnvelopeCase {
  readonly name: string;
  readonly request: EnvelopeRequest;
  readonly expected: {
    readonly statusCode: string;
    readonly isSuccessful?: boolean;
    readonly body?: object;
    readonly headers?: object;
    readonly bodyExclude?: readonly string[];
  };
}

interface MappingRow {
  readonly from: string;
  readonly to: string;
  readonly isSuccessful?: boolean;
}

interface TraceRow {
  readonly name: string;
  readonly header: string;
  readonly valid: boolean;
  readonly traceId?: string;
  readonly parentSpanId?: string;
}

interface InvocationRow {
  readonly name: string;
  readonly request: EnvelopeRequest;
  readonly expectedEvent: object;
}
