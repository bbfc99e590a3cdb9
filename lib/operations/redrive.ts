/**
 * Settles what a queue gave up on. A message about a job that exists is sent on its way again, later: nothing that is
 * wrong with a job is wrong with its messages. One whose job is not there can lead nowhere and is recorded; one that was
 * never about a job is taken in by the door it came by.
 */

import type { DoorMessage } from '../core/door-message.ts';
import { driverKindOf } from '../core/schedule.ts';
import { isTerminal } from '../core/states.ts';
import { type Message, queueOf } from '../ports.ts';
import type { Engine } from './engine.ts';
import { poison } from './poison.ts';
import { receive } from './receive.ts';

export type Redriven = 'redriven' | 'poison' | 'received';

/** Whatever made it fail five times gets time to be over: as long as a queue can hold a message back. */
const DELAY_MS = 900_000;

/** @param asSubmit the same message as the door reads it */
export async function redrive(engine: Engine, message: Message | null, asSubmit: DoorMessage): Promise<Redriven> {
  const { jobs, log, queue } = engine.ports;
  if (message === null) {
    await receive(engine, asSubmit);
    return 'received';
  }
  const job = await jobs.read(message.jobId);
  if (job === null) {
    const detail = `a ${message.kind} for job ${message.jobId}, which does not exist`;
    const { doorId, source, raw, trace } = asSubmit;
    const about = { callerId: 'door:sqs', correlationId: null, workflowType: null };
    await poison(engine, { ...about, doorId, source, raw, trace, code: 'ORCH_UNKNOWN_JOB', detail });
    return 'poison';
  }
  const name = queueOf(driverKindOf(job));
  log.write('warn', 'message_redriven', { queue: name, kind: message.kind, job_id: job.jobId, state: job.state });
  await queue.send(name, message, isTerminal(job.state) ? 0 : DELAY_MS);
  return 'redriven';
}
