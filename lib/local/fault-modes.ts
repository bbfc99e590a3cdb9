/**
 * What each topic fault does to one delivery. The participant itself is never told: a fault lies on the way to it or
 * on the way back, so what it does and remembers is what it would do in truth.
 */
import { type Answer, answerOf, problemResponse } from '../contract/envelope.ts';
import type { TopicFault, TopicMode } from '../contract/local.ts';

export interface Delivery {
  /** Hands the call to the participant and answers what it answers. */
  deliver(): Promise<Answer>;
  /** Keeps the call from the participant and answers for it. */
  refuse(code: string): Promise<Answer>;
  wait(ms: number): Promise<void>;
}

/** null: no answer ever reaches the caller. */
export type Outcome = Answer | null;

export const FAULT_MODES: Readonly<Record<TopicMode, (delivery: Delivery, fault: TopicFault) => Promise<Outcome>>> = {
  fail: (delivery, { errorCode }) => delivery.refuse(errorCode ?? 'EXT_UNAVAILABLE'),

  async fail_after_effect(delivery, { errorCode }) {
    await delivery.deliver();
    const detail = 'the participant threw after it had done its work (injected)';
    return answerOf(problemResponse('unexpected-error', { code: errorCode ?? 'EXT_UNEXPECTED', detail }));
  },

  async drop_response(delivery, { errorCode }) {
    await delivery.deliver();
    const detail = 'the connection broke before the answer came (injected)';
    return answerOf(problemResponse('service-unavailable', { code: errorCode ?? 'EXT_UNAVAILABLE', detail }));
  },

  async hang(delivery) {
    await delivery.deliver();
    return null;
  },

  async delay(delivery, { delayMs }) {
    await delivery.wait(delayMs);
    return delivery.deliver();
  },

  async duplicate(delivery) {
    const [first] = await Promise.all([delivery.deliver(), delivery.deliver()]);
    return first;
  },
};
