/**
 * What is sent to a job that waits: the answer of a participant, the decision of a person.
 */
import * as z from 'zod';
import { type Answer, failure } from '../core/answers.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { malformed } from './problem.ts';
import { pointer, refusalOf } from './refusal-of.ts';
import { anyJson } from './schema.ts';

/** As in envelopes: participants have codes of their own, ours only have to be able to print and store them. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;
const SAY_CODE = 'error_code: write a code such as DQ_BAD_ADDRESS';

export const CALLBACK = z.union(
  [
    z.strictObject({ status: z.literal('succeeded'), output: anyJson.optional() }),
    z.strictObject({
      status: z.literal('failed'),
      error_code: z.string(SAY_CODE).regex(CODE, SAY_CODE),
      message: z.string('message: say in a sentence what failed').max(LIMITS.reasonCharactersMax),
      applied: z.boolean('applied: write true if the effect may stand, false if not').optional(),
    }),
  ],
  'status: write succeeded or failed',
);

/** What failed is not applied unless it says so: it had the time to find out. */
export function readCallback(body: Json): Answer {
  const read = CALLBACK.safeParse(body);
  if (!read.success) throw refusalOf('body', read.error, pointer);
  const { data } = read;
  if (data.status === 'succeeded') return { kind: 'success', output: data.output ?? null };
  return failure(data.error_code, data.message, data.applied ?? false);
}

const WHICH = 'decision: write approved or declined';
export const DECISION = z.strictObject({
  decision: z.enum(['approved', 'declined'], WHICH),
  by: z.string('by: say who decides').trim().min(1, 'by: say who decides').max(200, 'by: write at most 200 characters'),
  comment: z.string().trim().max(LIMITS.reasonCharactersMax).optional(),
});

/** The same words as a step's output. */
export function readDecision(body: Json): Answer {
  const read = DECISION.safeParse(body);
  if (!read.success) throw refusalOf('body', read.error, pointer);
  const { decision, by, comment } = read.data;
  return {
    kind: 'success',
    output: { decision, by, comment: comment === undefined || comment === '' ? null : comment },
  };
}

/** What a browser sends. */
export function readDecisionForm(text: string): Answer {
  const given = new URLSearchParams(text);
  const names = [...given.keys()];
  if (new Set(names).size < names.length) throw malformed('the form says something twice: send each field once');
  return readDecision(Object.fromEntries(given));
}
