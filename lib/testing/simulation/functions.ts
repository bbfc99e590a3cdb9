/**
 * The functions of a deployment, each run an invocation of its own: it ends, fails, dies of a fault, or is killed when
 * its time is up, unless it stands still just then. What it held comes again, as it would anywhere.
 */
import { readDoor } from '../../contract/doors.ts';
import type { Job } from '../../core/job.ts';
import { LIMITS } from '../../core/limits.ts';
import { StoreError } from '../../core/store-error.ts';
import { ContentionError } from '../../operations/apply.ts';
import { drive } from '../../operations/drive.ts';
import type { Engine } from '../../operations/engine.ts';
import { hintFor } from '../../operations/hint.ts';
import { redrive } from '../../operations/redrive.ts';
import { sweep } from '../../operations/sweep.ts';
import { type Message, type QueueName, queueOf, type Received } from '../../ports.ts';
import { type FunctionName, type Invocation, kill } from './invocation.ts';
import { nameOf, type RunRecord } from './record.ts';
import type { Timeline } from './timeline.ts';

export type Ending<T> =
  | { readonly end: 'done'; readonly value: T }
  | { readonly end: 'failed' }
  | { readonly end: 'died' };

/** @param ended told once, however it ended */
export type Start = <T>(
  name: FunctionName,
  jobId: string | null,
  work: (engine: Engine) => Promise<T>,
  ended: (ending: Ending<T>) => void,
) => void;

export interface FunctionsOptions {
  readonly time: Timeline;
  readonly record: RunRecord;
  skewMs(): number;
  engineFor(by: Invocation): Engine;
}

/** What is given back to the queue on purpose: another deployment may know what to do with it. */
class GivenBack extends Error {
  override readonly name = 'GivenBack';
}

export function starter({ time, record, skewMs, engineFor }: FunctionsOptions): Start {
  let started = 0;
  return <T>(
    name: FunctionName,
    jobId: string | null,
    work: (engine: Engine) => Promise<T>,
    ended: (ending: Ending<T>) => void,
  ): void => {
    started += 1;
    let ending: Ending<T> = { end: 'died' };
    const rest = time.begin();
    const by: Invocation = { id: started, name, jobId, skewMs: skewMs(), alive: true, pausedUntil: 0, over: () => {} };
    const takeBack = time.after(LIMITS.dispatchTimeoutMs, () => {
      if (by.pausedUntil <= time.now()) kill(by);
    });
    by.over = () => {
      takeBack();
      rest();
      record.say(() => `${nameOf(name, by.id)} ${ending.end}`);
      ended(ending);
    };
    record.say(() => `${nameOf(name, by.id)} begins${by.skewMs === 0 ? '' : `, its clock is off by ${by.skewMs} ms`}`);
    work(engineFor(by)).then(
      (value) => {
        ending = { end: 'done', value };
        kill(by);
      },
      (error: unknown) => {
        if (by.alive && !isExpected(error)) record.breaks(`${name} threw ${String(error)}`);
        ending = { end: 'failed' };
        kill(by);
      },
    );
  };
}

/** Our own infrastructure may fail, and others may keep winning; anything else that is thrown is a mistake of ours. */
function isExpected(error: unknown): boolean {
  return error instanceof StoreError || error instanceof ContentionError || error instanceof GivenBack;
}

export interface Functions {
  deliver(queue: QueueName, received: Received, done: () => void): void;
  watch(done: () => void): void;
  /** Takes what a queue gave up on, again and again until it is dealt with. */
  bury(queue: QueueName, message: Message): void;
}

const COMES_AGAIN_MS = LIMITS.dispatchTimeoutMs * 6;

export function functions(time: Timeline, start: Start): Functions {
  const self: Functions = {
    deliver: (queue, { message }, done) => {
      const kind = queue === 'dispatch' ? 'forward' : 'recovery';
      const endsAt = time.now() + LIMITS.dispatchTimeoutMs;
      const work = async (engine: Engine): Promise<void> => {
        const { end } = await drive(engine, {
          jobId: message.jobId,
          kind,
          remainingMs: () => Math.max(0, endsAt - time.now()),
          hops: message.kind === 'hint' ? message.hops : 0,
          results: message.kind === 'result' ? [message.result] : [],
          reports: message.kind === 'reports' ? message.reports : [],
        });
        const notHere = end === 'missing' || end === 'unknown_version' || end === 'newer_schema';
        if (notHere) throw new GivenBack(`job ${message.jobId}: ${end}`);
      };
      start(queue, message.jobId, work, ({ end }) => {
        if (end === 'done') done();
      });
    },
    watch: (done) => {
      const hint = (engine: Engine) => async (job: Job, kind: 'forward' | 'recovery') =>
        engine.ports.queue.send(queueOf(kind), hintFor(job), 0);
      start('watchdog', null, (engine) => sweep(engine, hint(engine)), done);
    },
    bury: (queue, message) => {
      const asSubmit = readDoor(JSON.stringify(message), `dead-${message.jobId}`);
      start(
        'dead-letter',
        message.jobId,
        (engine) => redrive(engine, message, asSubmit),
        ({ end }) => {
          if (end !== 'done') time.soon(COMES_AGAIN_MS, () => self.bury(queue, message));
        },
      );
    },
  };
  return self;
}
