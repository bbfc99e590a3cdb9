/** Submits by queue and by event: each becomes a job, or the record of why it cannot be one. And schedules that are woken. */
import type { SQSEvent } from 'aws-lambda';
import { readDoor } from '../lib/contract/doors.ts';
import { readWakeup } from '../lib/contract/messages.ts';
import { receive } from '../lib/operations/receive.ts';
import { tick } from '../lib/operations/tick.ts';
import { eachMessage } from './parts/batch.ts';
import { container } from './parts/engine.ts';
import { lambda } from './parts/lambda.ts';

const { engine } = container('intake');

export const handler = lambda((event: SQSEvent, context) =>
  eachMessage(event, context, engine.ports.log, async ({ body, messageId }) => {
    const schedule = readWakeup(body);
    if (schedule === null) await receive(engine, readDoor(body, messageId));
    else await tick(engine, schedule);
  }),
);
