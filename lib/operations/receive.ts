/**
 * Takes in what came by a door that cannot be answered: a queue or a bus. The message becomes a job, or the record of
 * why it cannot be one; it is never refused, for nobody would hear of it.
 */
import type { DoorMessage } from '../core/door-message.ts';
import type { Job } from '../core/job.ts';
import type { Engine } from './engine.ts';
import { hintFor } from './hint.ts';
import { type Poison, poison } from './poison.ts';
import { submit } from './submit.ts';

export interface Taken {
  readonly kind: 'job' | 'duplicate' | 'poison';
  readonly job: Job;
}

export async function receive(engine: Engine, message: DoorMessage): Promise<Taken> {
  if (!message.readable) return { kind: 'poison', job: await poison(engine, message) };
  const result = await submit(engine, {
    ...message,
    idempotencyKey: message.idempotencyKey ?? message.doorId,
  });
  if (result.kind === 'refused') {
    const places = result.errors.map(({ path }) => path).join(', ');
    const detail = places === '' ? result.detail : `${result.detail} (at ${places})`;
    const refused: Poison = { ...message, code: result.code, detail };
    return { kind: 'poison', job: await poison(engine, refused) };
  }
  const { job } = result;
  // Sent again for a job that nothing has touched: its first hint may be what was lost.
  if (job.state === 'PENDING') await hint(engine, job);
  return { kind: result.kind === 'created' ? 'job' : 'duplicate', job };
}

/** Only makes it soon: the job is due by itself a moment later. */
async function hint({ ports }: Engine, job: Job): Promise<void> {
  try {
    await ports.queue.send('dispatch', hintFor(job), 0);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    ports.log.write('warn', 'first_hint_failed', { job_id: job.jobId, error: name });
  }
}
