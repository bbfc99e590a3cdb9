/**
 * The watchdog's run, each second: hints for every job that is overdue, the ticks of schedules that are due, and another
 * try for what lies in the dead-letter queues. One run at a time; one that a fault killed counts as ended.
 */
import { LIMITS } from '../core/limits.ts';
import { checkAll } from '../operations/check-health.ts';
import type { Engine } from '../operations/engine.ts';
import { hintFor } from '../operations/hint.ts';
import type { HintAt } from '../operations/release.ts';
import { sweep } from '../operations/sweep.ts';
import { tend } from '../operations/tend.ts';
import { tickDue } from '../operations/tick.ts';
import { type QueueReader, queueOf } from '../ports.ts';
import type { Drivers } from './drivers.ts';
import type { Functions } from './functions.ts';

export const QUEUES = ['dispatch', 'compensate'] as const;
const DEAD_LETTERS_AT_ONCE = 32;
/** A message that was received too often rests this long: whatever failed five times is not over in a second. */
const REDRIVE_DELAY_MS = 30_000;

export function watchdog(
  functions: Functions,
  crew: Pick<Drivers, 'offer' | 'isWaiting'>,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | null = null;
  const run = async (crash: () => void): Promise<void> => {
    const { engine, end } = functions.invoke('watchdog', crash);
    try {
      await sweep(engine, async (job, kind) => crew.offer(job, kind), crew.isWaiting);
      await tickDue(engine);
      await tend(engine, { horizonMs: LIMITS.releaseHorizonMsEmbedded, hint: hintOf(engine, crew), mayCheck: true });
      await checkAll(engine);
    } finally {
      end();
    }
  };
  return () => {
    running ??= new Promise<void>((done) => void run(done).catch(failed).then(done)).finally(() => {
      running = null;
    });
    return running;
  };
}

function hintOf({ ports }: Engine, crew: Pick<Drivers, 'offer'>): HintAt {
  return async (job, kind, delayMs) => {
    if (delayMs <= 0) crew.offer(job, kind);
    else await ports.queue.send(queueOf(kind), hintFor(job), delayMs);
  };
}

/** A hint that died is a hint all the same, and an answer is tried until it is folded in: neither is ever dropped. */
export async function redrive({ ports }: Engine, reader: QueueReader): Promise<void> {
  for (const queue of QUEUES) {
    for (const message of await reader.takeDeadLetters(queue, DEAD_LETTERS_AT_ONCE)) {
      ports.log.write('warn', 'message_redriven', { queue, kind: message.kind, job_id: message.jobId });
      await ports.queue.send(queue, message, REDRIVE_DELAY_MS);
    }
  }
}
