/** Where the clients go, and what else a container is given: log, clock, identities. */

import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { awsClients } from '../../../lib/adapters/aws/clients.ts';
import { jsonLog } from '../../../lib/adapters/aws/log.ts';
import { awsPorts } from '../../../lib/adapters/aws/ports.ts';
import { sqsQueue } from '../../../lib/adapters/aws/queue.ts';
import type { JobId } from '../../../lib/core/ids.ts';
import { markOf } from '../../../lib/core/own-write.ts';
import { NO_POLICIES } from '../../../lib/core/policy-settings.ts';
import { idOf } from '../../contracts/jobs.ts';
import { localClients } from './clients.ts';
import { faulty, json, type SentRequest } from './faulty-handler.ts';
import { freshQueues } from './queues.ts';

const clients = localClients();
const ENVIRONMENT = {
  tableName: 'jobs',
  bucketName: 'values',
  busName: null,
  dispatchQueueUrl: null,
  compensateQueueUrl: null,
  schedules: null,
  wakeups: null,
  routes: null,
  policies: NO_POLICIES,
  lifecycleEvents: false,
  callbackKeyId: null,
  pathStyleBuckets: false,
};

/** Clients as in a container, which find everything in the environment. */
function inContainer(variables: Record<string, string>) {
  const all = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', ...variables };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  const made = awsClients({ pathStyleBuckets: false });
  onTestFinished(() => {
    for (const client of Object.values(made)) client.destroy();
  });
  return made;
}

const hostOf = async (client: Parameters<typeof faulty>[0], call: () => Promise<unknown>): Promise<string> => {
  const seen: string[] = [];
  faulty(client, () => async (request) => {
    const { hostname, port } = request as SentRequest & { hostname: string; port?: number };
    seen.push(port === undefined ? hostname : `${hostname}:${port}`);
    return json(200, {});
  });
  // The answer is nothing that the call expects; only where it went counts.
  await call().catch(() => undefined);
  return seen.join();
};

describe('the clients', () => {
  const read = new GetItemCommand({ TableName: 't', Key: { pk: { S: 'a' }, sk: { S: 'b' } } });

  it('go to AWS in their region', async () => {
    const { dynamodb } = inContainer({});
    expect(await hostOf(dynamodb, () => dynamodb.send(read))).toMatch(/dynamodb\.eu-central-1\.amazonaws\.com$/);
  });

  it('go to the emulator that AWS_ENDPOINT_URL names', async () => {
    const { dynamodb } = inContainer({ AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' });
    expect(await hostOf(dynamodb, () => dynamodb.send(read))).toBe('127.0.0.1:4566');
  });

  it('never follow the host inside the URL of a queue, which could be real', async () => {
    const { sqs } = inContainer({ AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' });
    const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/dispatch';
    const queue = sqsQueue(sqs, { dispatch: url, compensate: null });
    const message = { kind: 'hint', jobId: idOf('host'), revision: 1, hops: 0 } as const;
    expect(await hostOf(sqs, () => queue.send('dispatch', message, 0))).toBe('127.0.0.1:4566');
  });

  it('reach a queue of an engine by name, whatever its URL says', async () => {
    const { urls, reader } = await freshQueues(clients.sqs);
    const moved = urls.dispatch.replace(/^https?:\/\/[^/]+/, 'https://sqs.eu-central-1.amazonaws.com');
    const message = { kind: 'hint', jobId: idOf('moved'), revision: 1, hops: 0 } as const;
    await sqsQueue(clients.sqs, { dispatch: moved, compensate: null }).send('dispatch', message, 0);
    expect(await reader.receive('dispatch', 1, 1_000)).toHaveLength(1);
  });
});

describe('the ports', () => {
  it('say which variable is missing when a function uses what it was not given', async () => {
    const ports = awsPorts(ENVIRONMENT, clients);
    const hint = { kind: 'hint', jobId: idOf('missing'), revision: 1, hops: 0 } as const;
    await expect(ports.queue.send('compensate', hint, 0)).rejects.toThrow(/DACAPO_COMPENSATE_QUEUE_URL is not set/);
    await expect(ports.bus.assertExists()).rejects.toThrow(/DACAPO_BUS_NAME is not set/);
  });

  it('end a wait for changes by time', async () => {
    const { changes, clock } = awsPorts(ENVIRONMENT, clients);
    const began = clock.now();
    await changes.next('j' as JobId, 20);
    expect(clock.now() - began).toBeGreaterThanOrEqual(19);
  });

  it('draw identities that do not repeat, write ids not even in the characters that mark an entry', () => {
    const { ids } = awsPorts(ENVIRONMENT, clients);
    const many = <T>(draw: () => T): number => new Set(Array.from({ length: 10_000 }, draw)).size;
    expect(many(() => markOf(ids.writeId()))).toBe(10_000);
    expect(many(() => ids.owner())).toBe(10_000);
    expect(many(() => ids.traceparent())).toBe(10_000);
    expect(ids.traceparent()).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

describe('the log', () => {
  const logged = (fields: Parameters<ReturnType<typeof jsonLog>['write']>[2]): unknown => {
    const lines: string[] = [];
    jsonLog((line) => void lines.push(line)).write('error', 'went_wrong', fields);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('\n')).toBe(true);
    return JSON.parse(lines[0] ?? '');
  };

  it('writes one line of JSON with what is known to be harmless', () => {
    expect(logged({ job_id: 'j1', hops: 3, error: 'StoreError' })).toMatchObject({
      level: 'error',
      event: 'went_wrong',
      job_id: 'j1',
      hops: 3,
      error: 'StoreError',
    });
  });

  it('withholds every other field and says which, and never a document', () => {
    const line = logged({ payload: { card: 'canary' }, idempotency_key: 'canary', step: { deep: 'canary' } });
    expect(line).toMatchObject({ withheld: ['payload', 'idempotency_key'], step: null });
    expect(JSON.stringify(line)).not.toContain('canary');
  });

  it('keeps a line a line, also when an error has a lot to say', () => {
    const line = logged({ where: `at a\nat b${'x'.repeat(5_000)}` });
    expect(JSON.stringify(line).length).toBeLessThan(1_200);
  });
});
