/**
 * Every way a job of the examples can end, as stories: what is submitted, what goes wrong on the way, where it may end.
 */
import { failure } from '../../lib/core/answers.ts';
import type { Json } from '../../lib/core/json.ts';
import type { Between } from './world.ts';

export interface Story {
  readonly name: string;
  readonly workflow: 'signup' | 'order';
  readonly input: Json;
  readonly between?: () => Between;
  /** States in which the job may stop; a crash must not lead anywhere else. */
  readonly ends: readonly string[];
}

const signup = { company: 'Acme', email: 'ada@acme.example', plan: 'standard' };
const order = { order_id: 'o-1', sku: 's-1', quantity: 2, amount: 40, address: '1 Main Street' };

/** The call takes effect and its answer is lost, for the first `times` calls of a topic. */
const losing = (topic: string, times: number): (() => Between) => {
  return () => {
    let left = times;
    return async (envelope, deliver) => {
      const answer = await deliver();
      if (envelope.call.topic !== topic || left <= 0) return answer;
      left -= 1;
      return failure('EXT_UNAVAILABLE', 'the connection broke', true);
    };
  };
};

/** The participant is never reached. */
const unreachable = (topic: string, times: number): (() => Between) => {
  return () => {
    let left = times;
    return async (envelope, deliver) => {
      if (envelope.call.topic !== topic || left <= 0) return deliver();
      left -= 1;
      return failure('EXT_UNAVAILABLE', 'connection refused', false);
    };
  };
};

const ALWAYS = 1_000;
export const STORIES: readonly Story[] = [
  { name: 'a signup that succeeds', workflow: 'signup', input: signup, ends: ['COMPLETED'] },
  { name: 'a signup refused in stage 1', workflow: 'signup', input: { ...signup, plan: 'gold' }, ends: ['FAILED'] },
  { name: 'a signup refused in stage 2', workflow: 'signup', input: { ...signup, email: 'nobody' }, ends: ['FAILED'] },
  {
    name: 'a signup whose rollback fails',
    workflow: 'signup',
    input: { ...signup, company: 'sticky Acme', email: 'nobody' },
    ends: ['NEEDS_REVIEW'],
  },
  {
    name: 'a signup that succeeds at the second try',
    workflow: 'signup',
    input: signup,
    between: unreachable('user:create', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'a signup whose retries run out',
    workflow: 'signup',
    input: signup,
    between: unreachable('user:create', ALWAYS),
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'a signup whose answer is lost once',
    workflow: 'signup',
    input: signup,
    between: losing('tenant:create', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'a signup whose answers are all lost',
    workflow: 'signup',
    input: signup,
    between: losing('billing:setup', ALWAYS),
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'a signup whose first call is applied unseen and whose others are not let in',
    workflow: 'signup',
    input: signup,
    between: () => {
      let calls = 0;
      return async (envelope, deliver) => {
        if (envelope.call.topic !== 'billing:setup') return deliver();
        calls += 1;
        if (calls > 1) return failure('EXT_UNAVAILABLE', 'connection refused', false);
        await deliver();
        return failure('EXT_TIMEOUT', 'no answer', true);
      };
    },
    ends: ['DEAD_LETTERED'],
  },
  { name: 'an order that succeeds', workflow: 'order', input: order, ends: ['COMPLETED'] },
  { name: 'an order without address', workflow: 'order', input: { ...order, address: '' }, ends: ['FAILED'] },
  {
    name: 'an order whose payment answer is lost',
    workflow: 'order',
    input: order,
    between: losing('payment:authorise', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'an order whose parcel and every question about it are lost',
    workflow: 'order',
    input: order,
    between: () => async (envelope, deliver) => {
      const answer = await deliver();
      const lost = envelope.call.topic === 'fulfilment:create' || envelope.call.topic === 'fulfilment:find';
      return lost ? failure('EXT_TIMEOUT', 'no answer', true) : answer;
    },
    ends: ['DEAD_LETTERED'],
  },
  {
    name: 'an order whose first undo answer is lost',
    workflow: 'order',
    input: { ...order, address: '' },
    between: losing('payment:cancel', 1),
    ends: ['FAILED'],
  },
];
