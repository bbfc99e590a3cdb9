/**
 * A deployment in the test: the operations on the ports of AWS, the example participants behind the Lambda client, a
 * loop in place of the event source mappings. Only `Date` is moved, so that delays pass at once.
 */

import { Readable } from 'node:stream';
import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { onTestFinished, vi } from 'vitest';
import type { AwsClients } from '../../../lib/adapters/aws/clients.ts';
import { type AwsPorts, awsPorts } from '../../../lib/adapters/aws/ports.ts';
import { type EnvelopeRequest, type EnvelopeResponse, problemResponse } from '../../../lib/contract/envelope.ts';
import { parseRoutes } from '../../../lib/contract/routes.ts';
import { FREE } from '../../../lib/core/gates.ts';
import type { Job } from '../../../lib/core/job.ts';
import type { Json } from '../../../lib/core/json.ts';
import { LIMITS } from '../../../lib/core/limits.ts';
import { NO_POLICIES } from '../../../lib/core/policy-settings.ts';
import { isOver } from '../../../lib/operations/await-end.ts';
import { drive } from '../../../lib/operations/drive.ts';
import type { Engine, PlanCatalog } from '../../../lib/operations/engine.ts';
import { submit } from '../../../lib/operations/submit.ts';
import { EXAMPLE_SERVICES } from '../../../lib/participants/index.ts';
import type { Message, QueueName } from '../../../lib/ports.ts';
import { host, memoryOperations } from '../../../lib/worker/index.ts';
import { CALLER, T0 } from '../../contracts/jobs.ts';
import { unique } from '../../contracts/support.ts';
import { BUCKET_NAME } from './clients.ts';
import { bodyOf, type Fault, faulty, instead } from './faulty-handler.ts';
import { meterTable, type TableBill } from './meter.ts';
import { freshQueues, type TestQueues } from './queues.ts';
import { TABLE_NAME } from './table.ts';

/** What lies between the orchestrator and a participant, which `deliver` calls. */
export type Between = (request: EnvelopeRequest, deliver: () => Promise<EnvelopeResponse>) => Promise<EnvelopeResponse>;

export interface Bill extends TableBill {
  /** Requests of the adapters, but for invokes of participants. */
  calls: number;
  messages: number;
  events: number;
  invocations: number;
  functionRuns: number;
}

const SERVICES = EXAMPLE_SERVICES.map((service) => ({
  service,
  route: { target: service.name, function: `acme-${service.name}`, topics: [...service.topics.keys()] },
}));

/** Runs one job to its end and answers what it cost. */
export async function costOf(
  clients: AwsClients,
  plans: PlanCatalog,
  workflowType: string,
  input: Json,
  between: Between = (_request, deliver) => deliver(),
): Promise<{ readonly job: Job; readonly bill: Bill }> {
  vi.useFakeTimers({ toFake: ['Date'], now: T0 });
  onTestFinished(() => void vi.useRealTimers());
  const queues = await freshQueues(clients.sqs);
  const ports = portsOn(clients, queues);
  const engine = (name: string): Engine => ({ ports, plans, rules: RULES, actor: `orchestrator:${name}` });

  const table = meterTable(clients.dynamodb);
  const sent = faulty(clients.sqs, () => null);
  const published = faulty(clients.events, () => takeEvents);
  const invoked = faulty(clients.lambda, () => participants(between));
  const scheduled = faulty(clients.scheduler, () => instead(() => ({ ScheduleArn: 'arn:schedule' })));

  const submitted = await submit(engine('submit'), {
    callerId: CALLER,
    source: 'api',
    workflowType,
    version: null,
    input,
    idempotencyKey: unique('key'),
    correlationId: null,
    trace: null,
  });
  if (submitted.kind !== 'created') throw new Error(`not created: ${JSON.stringify(submitted)}`);
  const { jobId, revision } = submitted.job;
  await ports.queue.send('dispatch', { kind: 'hint', jobId, revision, hops: 0 }, 0);
  const runs = await deliverAll(queues, (queue, message) => driven(engine(queue), queue, message));

  const job = await ports.jobs.read(jobId);
  if (job === null || !isOver(job)) throw new Error(`the job did not end: ${job?.state}`);
  const messages = sent.filter((operation) => operation.startsWith('SendMessage')).length;
  // The last read was the test's own.
  const calls = table.calls.length - 1 + messages + published.length + scheduled.length;
  const bill = { ...table.bill, readUnits: table.bill.readUnits - 1 };
  const counts = { calls, messages, events: published.length, invocations: invoked.length, functionRuns: runs + 1 };
  return { job, bill: { ...bill, ...counts } };
}

const ROUTES = parseRoutes(JSON.stringify(SERVICES.map(({ route }) => route)));
const RULES = {
  route: (topic: string) => ROUTES.routes.get(topic),
  policies: {},
  hintGraceMs: LIMITS.hintGraceMs,
  gate: () => FREE,
  retryPenaltyMs: () => 0,
  livingOwners: null,
};

function portsOn(clients: AwsClients, { urls }: TestQueues): AwsPorts {
  const environment = {
    tableName: TABLE_NAME,
    bucketName: BUCKET_NAME,
    busName: 'dacapo',
    dispatchQueueUrl: urls.dispatch,
    compensateQueueUrl: urls.compensate,
    schedules: null,
    wakeups: null,
    routes: ROUTES,
    policies: NO_POLICIES,
    lifecycleEvents: false,
    callbackKeyId: null,
    pathStyleBuckets: true,
  };
  const ports = awsPorts(environment, clients);
  return { ...ports, log: { write: () => {} } };
}

const takeEvents: Fault = instead((asked) => {
  const entries = asked.Entries as PutEventsRequestEntry[];
  return { FailedEntryCount: 0, Entries: entries.map((_, index) => ({ EventId: `e${index}` })) };
});

/** Functions behind the Lambda client, each with its own memory. */
function participants(between: Between): Fault {
  return async (request) => {
    const name = /functions\/([^/]+)\//.exec(request.path)?.[1];
    const serve = HOSTS.get(name ?? '');
    const envelope = bodyOf(request) as unknown as EnvelopeRequest;
    const response =
      serve === undefined
        ? problemResponse('not-found', { detail: 'no such function' })
        : await between(envelope, () => serve(envelope));
    const headers = { 'content-type': 'application/json' };
    return { statusCode: 200, headers, body: Readable.from([Buffer.from(JSON.stringify(response))]) };
  };
}

const HOSTS = new Map(
  SERVICES.map(({ service, route }) => [
    route.function,
    host(service, { store: memoryOperations(), now: () => Date.now() }),
  ]),
);

async function driven(engine: Engine, queue: QueueName, message: Message): Promise<void> {
  await drive(engine, {
    jobId: message.jobId,
    kind: queue === 'dispatch' ? 'forward' : 'recovery',
    remainingMs: () => LIMITS.dispatchTimeoutMs,
    hops: message.kind === 'hint' ? message.hops : 0,
    results: message.kind === 'result' ? [message.result] : [],
  });
}

/** Longer than any delay of these runs. */
const QUIET_MS = 60_000;

/** As the mappings do it, one message at a time, until nothing comes for a minute; answers how many were delivered. */
async function deliverAll(
  { reader }: TestQueues,
  deliver: (queue: QueueName, message: Message) => Promise<void>,
): Promise<number> {
  let delivered = 0;
  for (let quietMs = 0; quietMs < QUIET_MS; quietMs += 1_000) {
    for (const queue of ['dispatch', 'compensate'] as const) {
      for (const { message, receipt } of await reader.receive(queue, 10, QUIET_MS)) {
        await deliver(queue, message);
        await reader.remove(queue, receipt);
        delivered += 1;
        quietMs = 0;
      }
    }
    vi.setSystemTime(Date.now() + 1_000);
  }
  return delivered;
}
