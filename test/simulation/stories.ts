/**
 * Every way a job of the example workflows can end, as stories: those that kills are tried on, and what only a simulated
 * world tells: people who act meanwhile or afterwards, deadlines, and undos that are refused.
 */
import { type Answer, failure } from '../../lib/core/answers.ts';
import type { OperatorAct } from '../../lib/core/events.ts';
import type { Json } from '../../lib/core/json.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { STORIES } from '../operations/stories.ts';
import type { Between } from '../operations/world.ts';

export type Deed = OperatorAct | { readonly action: 'cancel' | 'replay' | 'discard' };

export interface Story {
  readonly name: string;
  readonly workflow: string;
  readonly input: Json;
  readonly between?: () => Between;
  /** Somebody cancels as soon as this topic is called, and the answer comes after that. */
  readonly cancelledAt?: string;
  /** What a person does once everything has come to rest, one after the other. */
  readonly afterwards?: readonly Deed[];
  /** Steps whose effect that person has taken back by hand, without asking the participant. */
  readonly byHand?: readonly string[];
  /** States in which the job may stop, whatever one call does; in the first, where nothing goes wrong beside the story. */
  readonly ends: readonly string[];
  /** The same of the job that a replay makes. */
  readonly replayEnds?: readonly string[];
}

const signup = { workflow: 'signup', input: { company: 'Acme', email: 'ada@acme.example', plan: 'standard' } };
const sticky = { workflow: 'signup', input: { company: 'sticky Acme', email: 'nobody', plan: 'standard' } };
const order = {
  workflow: 'order',
  input: { order_id: 'o-1', sku: 's-1', quantity: 2, amount: 40, address: '1 Main Street' },
};
const research = { workflow: 'research', input: { question: 'why' } };

/** Whether a call is one of the first of its topic; one that is delivered twice is one call. */
function firstOf(topic: string, times: number): (envelope: CallEnvelope) => boolean {
  const seen = new Set<string>();
  return ({ call }) => {
    const name = `${call.operationId} ${call.attempt}`;
    if (call.topic !== topic || (seen.size >= times && !seen.has(name))) return false;
    seen.add(name);
    return true;
  };
}

/** Instead of the participant, for the first `times` calls of a topic. */
const saying = (topic: string, times: number, answer: Answer) => (): Between => {
  const isAmong = firstOf(topic, times);
  return (envelope, deliver) => (isAmong(envelope) ? Promise.resolve(answer) : deliver());
};

/** The call takes effect, and nobody hears of it. */
const silent = (topic: string, times: number) => (): Between => {
  const isAmong = firstOf(topic, times);
  return async (envelope, deliver) => {
    const isSilent = isAmong(envelope);
    const answer = await deliver();
    return isSilent ? noAnswer : answer;
  };
};

const noAnswer = failure('EXT_TIMEOUT', 'no answer', true);
const down = failure('EXT_UNAVAILABLE', 'connection refused', false);
const conflict = failure('CONTRACT_CONFLICT', 'not any more', false);
const refusal = failure('DQ_REFUSED', 'not like this', false);
/** Asks to come back after the job's deadline. */
const nextWeek = failure('EXT_THROTTLED', 'come back next week', false, 7 * 86_400_000);
const ALWAYS = 1_000;

const SIGNUPS: readonly Story[] = [
  { name: 'a signup cancelled in stage 1', ...signup, cancelledAt: 'tenant:create', ends: ['CANCELLED', 'COMPLETED'] },
  { name: 'a signup cancelled in stage 2', ...signup, cancelledAt: 'user:create', ends: ['CANCELLED', 'COMPLETED'] },
  {
    name: 'a signup cancelled on its way back',
    ...signup,
    input: { ...signup.input, email: 'nobody' },
    cancelledAt: 'billing:teardown',
    ends: ['FAILED'],
  },
  {
    name: 'a signup cancelled after its end, in vain',
    ...signup,
    afterwards: [{ action: 'cancel' }],
    ends: ['COMPLETED'],
  },
  {
    name: 'a signup whose deadline comes before its user',
    ...signup,
    between: saying('user:create', ALWAYS, nextWeek),
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'a signup whose rollback a person asks for again, in vain',
    ...sticky,
    afterwards: [{ action: 'retry_compensation' }],
    ends: ['NEEDS_REVIEW'],
  },
  {
    name: 'a signup whose tenant a person removes by hand',
    ...sticky,
    afterwards: [
      { action: 'resolve', step: 'tenant', resolution: 'compensated', output: undefined },
      { action: 'close' },
    ],
    byHand: ['tenant'],
    ends: ['FAILED', 'DEAD_LETTERED'],
  },
  {
    name: 'a signup whose rollback a person gives up',
    ...sticky,
    afterwards: [{ action: 'force_close' }],
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'a dead signup that is played again and succeeds',
    ...signup,
    between: saying('user:create', 5, down),
    afterwards: [{ action: 'replay' }],
    ends: ['DEAD_LETTERED'],
    replayEnds: ['COMPLETED'],
  },
  {
    name: 'a dead signup that is discarded, and not played again',
    ...signup,
    between: saying('user:create', ALWAYS, down),
    afterwards: [{ action: 'discard' }, { action: 'replay' }],
    ends: ['DEAD_LETTERED'],
  },
];

const ORDERS: readonly Story[] = [
  {
    name: 'an order whose goods are refused',
    ...order,
    between: saying('inventory:reserve', ALWAYS, refusal),
    ends: ['FAILED'],
  },
  {
    name: 'an order whose payment is refused',
    ...order,
    between: saying('payment:authorise', ALWAYS, refusal),
    ends: ['FAILED'],
  },
  {
    name: 'an order whose payment never arrives at first',
    ...order,
    between: saying('payment:authorise', 1, noAnswer),
    ends: ['COMPLETED'],
  },
  {
    name: 'an order whose reservation is lost',
    ...order,
    between: silent('inventory:reserve', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'an order cancelled while it is paid',
    ...order,
    cancelledAt: 'payment:authorise',
    ends: ['CANCELLED', 'COMPLETED'],
  },
  {
    name: 'an order cancelled while payment is asked about',
    ...order,
    between: silent('payment:authorise', 1),
    cancelledAt: 'payment:find',
    ends: ['CANCELLED', 'COMPLETED'],
  },
  {
    name: 'an order whose money comes back when a person asks again',
    ...order,
    input: { ...order.input, address: '' },
    between: saying('payment:cancel', 1, conflict),
    afterwards: [{ action: 'retry_compensation' }],
    ends: ['FAILED', 'DEAD_LETTERED'],
  },
  {
    name: 'an order whose undo is down for long',
    ...order,
    input: { ...order.input, address: '' },
    between: saying('payment:cancel', 6, down),
    ends: ['FAILED'],
  },
];

const RESEARCHES: readonly Story[] = [
  { name: 'a research that succeeds', ...research, ends: ['COMPLETED'] },
  {
    name: 'a research whose answer is lost once',
    ...research,
    between: silent('research:audit', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'a research whose answers are all lost',
    ...research,
    between: silent('research:plan', ALWAYS),
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'a research that is refused',
    ...research,
    between: saying('research:audit', ALWAYS, refusal),
    ends: ['FAILED'],
  },
  {
    name: 'a research cancelled while it is audited',
    ...research,
    cancelledAt: 'research:audit',
    ends: ['CANCELLED', 'COMPLETED'],
  },
];

export const ALL_STORIES: readonly Story[] = [...STORIES, ...SIGNUPS, ...ORDERS, ...RESEARCHES];
