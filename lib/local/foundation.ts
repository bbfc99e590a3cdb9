/**
 * What one process life stands on: the file, and everything that is kept in it. Each write made through here dies with
 * the life; the file itself is closed at its end, so that the next life can open it.
 */
import { type Database, openDatabase } from '../adapters/sqlite/database.ts';
import { type SqliteListeners, type SqlitePorts, sqlitePorts } from '../adapters/sqlite/ports.ts';
import { releaseMessages } from '../adapters/sqlite/queue.ts';
import type { Answer } from '../core/answers.ts';
import { failureFields } from '../http/failure-fields.ts';
import { type CallEnvelope, type CommandQueue, type Log, queueOf } from '../ports.ts';
import { type LocalClock, localClock } from './clock.ts';
import { openClockOffset } from './clock-offset.ts';
import { commands } from './commands.ts';
import { type FaultBook, openFaultBook } from './faults.ts';
import { atWork, type Life, newLife } from './mortal.ts';
import { outside, type World } from './outside.ts';
import { type LocalParticipants, localParticipants } from './participants.ts';

export interface Foundation {
  readonly life: Life;
  readonly log: Log;
  readonly clock: LocalClock;
  readonly faults: FaultBook;
  readonly stores: SqlitePorts;
  readonly participants: LocalParticipants;
  /** Who is told of messages and timers from now on. */
  listen(listeners: Required<SqliteListeners>): void;
  /** The kill: nothing asked for through here is answered any more. */
  end(): void;
}

/** @param path of the file; refused while another process holds it */
export async function openFoundation(path: string, stderr: Log, world: World): Promise<Foundation> {
  const database = openDatabase(path);
  const life = newLife();
  const log: Log = { write: (...line) => (life.over ? undefined : stderr.write(...line)) };
  const write: Database['write'] = (work) => atWork(life, () => database.write(work));
  const offset = await openClockOffset(write);
  const clock = localClock(offset.ms, offset.save);
  const faults = await openFaultBook(write);
  await releaseMessages({ write }, clock.now());

  // Whoever reads the messages is made on top of the store that tells of them.
  let listeners: SqliteListeners = {};
  const stores = sqlitePorts(database, clock, {
    onMessage: (queue, visibleAt) => listeners.onMessage?.(queue, visibleAt),
    onTimer: (at) => listeners.onTimer?.(at),
  });
  const failed = (error: unknown, topic: string): void =>
    log.write('error', 'participant_failed', { topic, ...failureFields(error) });
  const queued = commands({
    database,
    life,
    clock,
    results: stores.queue,
    work: (request) => participants.work(request),
    failed: (error) => failed(error, 'queue'),
  });
  const participants = await localParticipants({
    write,
    clock,
    faults,
    outside: outside({ ...world, clock, bus: stores.bus, commands: queued, onError: failed }),
    onLateAnswer: (envelope, answer) => void sendLate(stores.queue, clock, log, envelope, answer),
    onError: failed,
  });
  return {
    life,
    log,
    clock,
    faults,
    stores,
    participants,
    listen: (given) => {
      listeners = given;
      queued.start();
    },
    end: () => {
      life.over = true;
      listeners = {};
      clock.stop();
      database.close();
    },
  };
}

/** An answer that nobody waits for any longer goes the way of messages, as a worker's would. */
async function sendLate(
  queue: CommandQueue,
  clock: LocalClock,
  log: Log,
  { call, jobId }: CallEnvelope,
  answer: Answer,
): Promise<void> {
  const { step, direction, operationId, attempt } = call;
  const result = { step, direction, operationId, attempt, at: clock.now(), answer };
  try {
    await queue.send(queueOf(direction === 'undo' ? 'recovery' : 'forward'), { kind: 'result', jobId, result }, 0);
  } catch (error) {
    log.write('error', 'late_answer_lost', { job_id: jobId, ...failureFields(error) });
  }
}
