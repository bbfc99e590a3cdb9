/**
 * Every port on AWS, composed from what the function was told. To be made once per container, outside the handler, so
 * that clients and their connections live as long as it does.
 */
import type { AwsEnvironment } from '../../contract/aws-environment.ts';
import type { Ports } from '../../ports.ts';
import { randomIds, randomToken } from '../random-ids.ts';
import { dynamoAudit } from './audit.ts';
import { type AwsBus, awsBus } from './bus.ts';
import { dynamoClaims } from './claims.ts';
import type { AwsClients } from './clients.ts';
import { realClock } from './clock.ts';
import { dynamoDeadLetters } from './dead-letters.ts';
import { dynamoDependencies } from './dependencies.ts';
import { awsFamily } from './family.ts';
import { dynamoJobs } from './jobs.ts';
import { jsonLog } from './log.ts';
import { awsParticipants } from './participants.ts';
import { dynamoPauses } from './pauses.ts';
import { type SqsQueue, sqsQueue } from './queue.ts';
import { dynamoSchedules } from './schedules.ts';
import { kmsSigner } from './signer.ts';
import { awsTimers } from './timers.ts';
import { dynamoValues } from './values.ts';
import { awsWakeups } from './wakeups.ts';

export interface AwsPorts extends Ports {
  readonly queue: SqsQueue;
  readonly bus: AwsBus;
}

export function awsPorts(environment: AwsEnvironment, clients: AwsClients): AwsPorts {
  const { tableName, bucketName, routes, schedules } = environment;
  const { dynamodb, s3, sqs } = clients;
  const clock = realClock();
  const now = (): number => clock.now();
  const queue = sqsQueue(sqs, { dispatch: environment.dispatchQueueUrl, compensate: environment.compensateQueueUrl });
  return {
    jobs: dynamoJobs(dynamodb, tableName, now),
    values: dynamoValues({ dynamodb, s3, tableName, bucketName, now }),
    claims: dynamoClaims(dynamodb, tableName),
    dependencies: dynamoDependencies(dynamodb, tableName),
    deadLetters: dynamoDeadLetters(dynamodb, tableName, now),
    audit: dynamoAudit(dynamodb, tableName),
    pauses: dynamoPauses(dynamodb, tableName),
    schedules: dynamoSchedules(dynamodb, tableName),
    wakeups: awsWakeups(clients.scheduler, environment.wakeups),
    queue,
    family: awsFamily(sqs, queue, environment.reportsQueueUrl),
    timers: awsTimers(clients.scheduler, queue, schedules, clock),
    bus: awsBus(clients.events, environment.busName),
    participants: awsParticipants(clients, routes),
    signer: kmsSigner(clients.mac, environment.callbackKeyId),
    // Writes happen in other processes: whoever waits looks again when its time is up.
    changes: { next: (_jobId, withinMs) => new Promise((resolve) => void clock.after(withinMs, resolve)) },
    clock,
    ids: randomIds(randomToken),
    log: jsonLog(),
  };
}
