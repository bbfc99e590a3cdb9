/** Plays a list of actions against a job, and holds every decision against every rule. */
import { isDeepStrictEqual } from 'node:util';
import { decide } from '../../lib/core/decide.ts';
import type { JobEvent } from '../../lib/core/events.ts';
import { type Action, type Boots, eventOf } from './arbitrary-actions.ts';
import type { Trial } from './arbitrary-plan.ts';
import { falseClaims } from './claims.ts';
import { complaints } from './invariants.ts';
import { hear, newWitness, type Witness } from './ledger.ts';
import { contextOf, happens, type Moment, start } from './support.ts';

/** Two seconds' worth; `CHECK_RUNS=100000` looks longer. */
export const RUNS = Number(process.env.CHECK_RUNS ?? 2_000);

export interface Run {
  readonly moment: Moment;
  readonly witness: Witness;
  /** Rules that were broken, each with the action that broke it. */
  readonly broken: readonly string[];
}

export function play({ plan, options }: Trial, actions: readonly Action[], random: number): Run {
  const boots: Boots = { count: 1 };
  const livingOwners = (): string => `p${boots.count}:`;
  const witness = newWitness();
  const broken: string[] = [];
  let moment = start(plan, { ...options, livingOwners: livingOwners(), random });
  for (const [index, action] of actions.entries()) {
    if (action.do === 'wait') moment = { ...moment, now: moment.now + action.ms };
    if (action.do === 'skip') moment = { ...moment, now: Math.max(moment.now, moment.job.nextActionAt ?? 0) };
    if (action.do === 'restart') {
      boots.count += 1;
      moment = { ...moment, rules: { ...moment.rules, livingOwners: livingOwners() } };
    }
    const event = eventOf(action, moment, boots);
    if (event === null) continue;
    const next = witnessed(moment, event, witness);
    broken.push(...next.broken.map((complaint) => `action ${index} (${action.do}): ${complaint}`));
    moment = next.moment;
    if (broken.length > 0) break;
  }
  return { moment, witness, broken };
}

/** What somebody asks for, and can be told no. */
const REQUESTS: readonly JobEvent['type'][] = ['cancel', 'operate', 'callback', 'signal'];

/** One decision, with everything that must hold for it. */
export function witnessed(moment: Moment, event: JobEvent, witness: Witness): Run {
  hear(witness, moment.job, event, moment.now);
  const next = happens(moment, event);
  const again = decide(moment.job, event, moment.plan, contextOf(moment));
  const broken = isDeepStrictEqual(again, next.decision) ? [] : ['the same question got another answer'];
  if (next.decision?.status === 'refused' && !REQUESTS.includes(event.type)) broken.push('refused what is no request');
  if (next.decision?.status === 'changed') {
    const { plan, rules, now } = moment;
    const { calls } = next.decision;
    const { writeId } = contextOf(moment);
    const change = { before: moment.job, after: next.job, calls, event, plan, rules, now, writeId };
    broken.push(...complaints(change), ...falseClaims(witness, change));
  }
  return { moment: next, witness, broken };
}
