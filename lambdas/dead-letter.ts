/** What queues gave up on: a message about a job goes on its way again, anything else is taken in as what it is. */
import type { SQSEvent } from 'aws-lambda';
import { readDoor } from '../lib/contract/doors.ts';
import { readMessage, readWakeup } from '../lib/contract/messages.ts';
import { redrive } from '../lib/operations/redrive.ts';
import { tick } from '../lib/operations/tick.ts';
import { eachMessage } from './parts/batch.ts';
import { container } from './parts/engine.ts';
import { lambda } from './parts/lambda.ts';
import { count } from './parts/metrics.ts';

const { engine } = container('dead-letter');
const { clock, log } = engine.ports;

export const handler = lambda((event: SQSEvent, context) =>
  eachMessage(event, context, log, async ({ body, messageId }) => {
    const schedule = readWakeup(body);
    if (schedule !== null) return void (await tick(engine, schedule));
    const done = await redrive(engine, readMessage(body, clock.now()), readDoor(body, messageId));
    if (done === 'redriven') count('Redriven');
  }),
);
