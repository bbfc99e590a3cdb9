/**
 * What crosses the wire between the example workflows and the example participants: the body of each forward call
 * and of its answer. Both sides read these schemas, so neither can drift alone.
 * Only shapes are fixed here; what a service accepts (plans, addresses, stock) is the participant's own rule.
 * Unknown fields are dropped, not refused: either side may add one before the other knows it.
 */
import * as z from 'zod';

export interface TopicContract {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

const text = z.string();

export const EXAMPLE_TOPICS = {
  'tenant:create': {
    input: z.object({ company: text }),
    output: z.object({ tenant_id: text }),
  },
  'billing:setup': {
    input: z.object({ company: text, plan: text }),
    output: z.object({ account_id: text }),
  },
  'user:create': {
    input: z.object({ email: text, tenant_id: text, account_id: text }),
    output: z.object({ user_id: text }),
  },
  'inventory:reserve': {
    input: z.object({ order_id: text, sku: text, quantity: z.number() }),
    output: z.object({ reservation_id: text }),
  },
  'payment:authorise': {
    input: z.object({ order_id: text, amount: z.number() }),
    output: z.object({ payment_id: text }),
  },
  'fulfilment:create': {
    input: z.object({ order_id: text, address: text, reservation_id: text, payment_id: text }),
    output: z.object({ fulfilment_id: text }),
  },
  'notify:send': {
    input: z.object({ to: text, subject: text, text }),
    output: z.object({ message_id: text }),
  },
  'mail:ask': {
    input: z.object({ to: text, subject: text }),
    output: z.object({ letter_id: text }),
  },
  'research:mine': {
    input: z.object({ question: text }),
    output: z.object({ findings: z.array(text) }),
  },
  'research:audit': {
    input: z.object({ question: text, findings: z.array(text) }),
    output: z.object({ accepted: z.array(text), rejected: z.array(text) }),
  },
  'research:plan': {
    input: z.object({ question: text, findings: z.array(text) }),
    output: z.object({ plan: z.array(text) }),
  },
} as const satisfies Record<string, TopicContract>;

export type ExampleTopic = keyof typeof EXAMPLE_TOPICS;

/** The body of an undo of such a call: what was asked and what was answered, null when the answer never came. */
export function undoBodyOf<I extends z.ZodType, O extends z.ZodType>(topic: { readonly input: I; readonly output: O }) {
  return z.object({ input: topic.input, output: z.nullable(topic.output) });
}
