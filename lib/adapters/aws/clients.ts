/**
 * The SDK's clients, made once per container and kept: their connections stay open between invocations. Region,
 * credentials and `AWS_ENDPOINT_URL` are the SDK's own business.
 *
 * Retries: three attempts, the SDK's standard full jitter. Throttled ones then wait 3 s together at the most (up to 1 s,
 * then up to 2 s), broken ones 150 ms: that still fits in the 5 s which a step's lease leaves for writing its result
 * down. Whatever lasts longer goes back to the queue. Invokes get one attempt, for a second one is a second call.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { lazyMac } from './lazy-mac.ts';
import { lazyObjects } from './lazy-objects.ts';
import type { Mac } from './mac.ts';
import type { Objects } from './objects.ts';

export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly s3: Objects;
  readonly sqs: SQSClient;
  readonly events: EventBridgeClient;
  readonly scheduler: SchedulerClient;
  readonly lambda: LambdaClient;
  readonly mac: Mac;
}

/** For tests: what a client would find out for itself. */
export interface ClientOverrides {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Stretches the timeouts: an engine in the test's own process waits for its turn as the test does. */
  readonly patience?: number;
}

const ATTEMPTS_MAX = 3;
/** Within a region a connection takes milliseconds; what takes a second goes to a host that is gone. */
const CONNECT_MS = 1_000;
/** DynamoDB answers in milliseconds; three seconds are an outage already. */
const TABLE_REQUEST_MS = 3_000;
const REQUEST_MS = 5_000;
/** A value has up to 5 MiB. */
const OBJECT_REQUEST_MS = 15_000;

export interface ClientSettings {
  /** Address buckets by path: emulators answer under one host name. */
  readonly pathStyleBuckets: boolean;
}

/** To be made once per container, outside the handler. */
export function awsClients({ pathStyleBuckets }: ClientSettings, overrides: ClientOverrides = {}): AwsClients {
  const { patience = 1, ...given } = overrides;
  const connectionTimeout = CONNECT_MS * patience;
  // Without `throw` the SDK only writes a warning when the time is up, and goes on waiting.
  const within = (ms: number) => ({
    maxAttempts: ATTEMPTS_MAX,
    retryMode: 'standard',
    requestHandler: { connectionTimeout, requestTimeout: ms * patience, throwOnRequestTimeout: true },
    ...given,
  });
  return {
    dynamodb: new DynamoDBClient(within(TABLE_REQUEST_MS)),
    s3: lazyObjects({ ...within(OBJECT_REQUEST_MS), forcePathStyle: pathStyleBuckets }),
    // The host inside a queue's URL would win over the endpoint: a test could then reach real AWS.
    sqs: new SQSClient({ ...within(REQUEST_MS), useQueueUrlAsEndpoint: false }),
    events: new EventBridgeClient(within(REQUEST_MS)),
    scheduler: new SchedulerClient(within(REQUEST_MS)),
    mac: lazyMac(within(REQUEST_MS)),
    // Every call carries its own signal, for the time that its step allows.
    lambda: new LambdaClient({ ...given, maxAttempts: 1, requestHandler: { connectionTimeout } }),
  };
}
