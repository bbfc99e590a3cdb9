/**
 * A world in which nothing goes wrong any more: every call is answered, and a driver looks in whenever the job itself
 * says that it wants attention. Pure: time is a number, and the watchdog is the only thing that wakes.
 */
import type { Call, Result } from '../../lib/core/events.ts';
import type { Json } from '../../lib/core/json.ts';
import { isTerminal } from '../../lib/core/states.ts';
import type { Witness } from './ledger.ts';
import { type Run, witnessed } from './random-run.ts';
import { driverFor, type Moment, success } from './support.ts';

/** What a participant says when it is asked about an operation. */
export type Word = 'applied' | 'not_applied' | 'fenced';

const WORDS: Record<Word, Json> = {
  applied: { state: 'applied', output: { id: 1 } },
  not_applied: { state: 'not_applied' },
  fenced: { state: 'not_applied', fenced: true },
};

/** More turns than the longest plan with every retry needs. */
const TURNS_MAX = 400;

export function comesToRest({ job }: Moment): boolean {
  return isTerminal(job.state) || job.state === 'NEEDS_REVIEW';
}

/** Drives the job by its own next actions until it rests; the moment it got to when the turns run out. */
export function settle(from: Moment, witness: Witness, word: Word): Run {
  let moment = from;
  const broken: string[] = [];
  for (let turns = 0; turns < TURNS_MAX && !comesToRest(moment) && broken.length === 0; turns += 1) {
    const driver = driverFor(moment.job, { owner: `${moment.rules.livingOwners ?? ''}world` });
    const looked = witnessed(moment, { type: 'turn', driver }, witness);
    broken.push(...looked.broken);
    moment = looked.moment;
    if (moment.decision?.status !== 'changed') {
      moment = { ...moment, now: Math.max(moment.now + 1, moment.job.nextActionAt ?? 0) };
      continue;
    }
    const { calls } = moment.decision;
    if (calls.length === 0) continue;
    moment = { ...moment, now: moment.now + 100 };
    const results = calls.map((call) => resultOf(call, moment.now, word));
    const told = witnessed(moment, { type: 'results', results, driver: null }, witness);
    broken.push(...told.broken);
    moment = told.moment;
  }
  return { moment, witness, broken };
}

function resultOf({ step, direction, operationId, attempt }: Call, at: number, word: Word): Result {
  const answer = success(direction === 'query' ? WORDS[word] : { id: 1 });
  return { step, direction, operationId, attempt, at, answer };
}
