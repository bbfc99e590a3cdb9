/**
 * `errors.json`: how errors are retried, told from outside the code. Names are error codes or prefixes, for all jobs or
 * under `workflows` for one of them and under its `steps` for one step. A name that could never match, or a field that no
 * policy has, is refused with what to write instead: a silent override is one that nobody notices missing.
 */
import * as z from 'zod';
import { isErrorCode, type PolicyOverride, type PolicyOverrides, PREFIX_POLICIES } from '../core/errors.ts';
import type { PolicySettings } from '../core/policy-settings.ts';

/** More calls than any budget of a job, or longer waits than a day, are a slip of the hand. */
const ATTEMPTS_MAX = 100;
const SECONDS_MAX = 86_400;
/** Codes without a prefix that anybody knows. */
const OTHER = 'other';
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;
const PREFIXES = PREFIX_POLICIES.flatMap(({ prefix }) => (prefix === '' ? [] : [prefix]));

const attempts = `write a whole number from 1 to ${ATTEMPTS_MAX}; 1 means no retry`;
const duration = `write seconds, more than 0 and at most ${SECONDS_MAX}`;
const seconds = z.number(duration).positive(duration).max(SECONDS_MAX, duration);

const POLICY = z
  .strictObject({
    retryable: z.boolean('write true or false').optional(),
    max_attempts: z.int(attempts).min(1, attempts).max(ATTEMPTS_MAX, attempts).optional(),
    backoff_base_seconds: seconds.optional(),
    backoff_multiplier: z.number('write a number from 1').min(1, 'write a number from 1').optional(),
    max_backoff_seconds: seconds.optional(),
    jitter: z.enum(['full', 'none'], 'write full or none').optional(),
    dead_letter_on_exhaustion: z.boolean('write true or false').optional(),
  })
  .refine(({ backoff_base_seconds: base, max_backoff_seconds: max }) => !base || !max || base <= max, {
    path: ['max_backoff_seconds'],
    message: 'write at least backoff_base_seconds',
  });

const POLICIES = z.record(z.string(), POLICY);
const apart = <K extends string>(value: unknown, key: K): [Record<string, unknown>, unknown] => {
  const { [key]: inner, ...rest } = value as Record<string, unknown>;
  return [rest, inner ?? {}];
};

/** @param text of the file; throws one sentence with everything that is wrong, place by place */
export function parsePolicies(text: string): PolicySettings {
  const problems: string[] = [];
  const document = object(json(text), '', problems);
  const [all, workflows] = apart(document, 'workflows');
  const settings = {
    all: overridesIn(all, '', problems),
    workflows: Object.entries(object(workflows, 'workflows', problems)).map(([type, said]) => {
      const place = `workflows.${type}`;
      const [own, steps] = apart(object(said, place, problems), 'steps');
      return {
        type,
        all: overridesIn(own, place, problems),
        steps: Object.entries(object(steps, `${place}.steps`, problems)).map(([step, inner]) => {
          const where = `${place}.steps.${step}`;
          return { step, all: overridesIn(object(inner, where, problems), where, problems) };
        }),
      };
    }),
  };
  if (problems.length > 0) throw new Error(problems.join('; '));
  return settings;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the file is not JSON: write {"EXT_TIMEOUT": {"max_attempts": 3}}');
  }
}

function object(value: unknown, place: string, problems: string[]): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  problems.push(`${place === '' ? 'the file' : place}: write an object of error codes or prefixes`);
  return {};
}

function overridesIn(value: Record<string, unknown>, place: string, problems: string[]): PolicyOverrides {
  const at = (path: readonly PropertyKey[]): string => [place, ...path.map(String)].filter((part) => part).join('.');
  for (const key of Object.keys(value)) {
    const problem = keyProblem(key);
    if (problem !== null) problems.push(`${at([key])}: ${problem}`);
  }
  const read = POLICIES.safeParse(value);
  if (!read.success) {
    problems.push(...read.error.issues.map((issue) => `${at(issue.path)}: ${whatToWrite(issue)}`));
    return {};
  }
  return Object.fromEntries(Object.entries(read.data).map(([key, said]) => [key === OTHER ? '' : key, policyOf(said)]));
}

function whatToWrite(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  return `${issue.keys.join(', ')} is no field of a policy: write ${Object.keys(POLICY.shape).join(', ')}`;
}

/** Participants have codes of their own, which pass through; those under our name have to exist. */
function keyProblem(key: string): string | null {
  if (key === OTHER || PREFIXES.includes(key)) return null;
  const prefixes = `${PREFIXES.join(', ')}, or ${OTHER}`;
  if (key.endsWith('_')) return `is no prefix: write one of ${prefixes}`;
  if (!CODE.test(key)) return `is no error code: write one such as EXT_TIMEOUT, or one of ${prefixes}`;
  if (key.startsWith('ORCH_') && !isErrorCode(key))
    return 'is no code of the orchestrator: look it up in docs/failure.md';
  return null;
}

function policyOf(said: z.output<typeof POLICY>): PolicyOverride {
  const policy = {
    retryable: said.retryable,
    maxAttempts: said.max_attempts,
    backoffBaseSeconds: said.backoff_base_seconds,
    backoffMultiplier: said.backoff_multiplier,
    maxBackoffSeconds: said.max_backoff_seconds,
    jitter: said.jitter,
    deadLetterOnExhaustion: said.dead_letter_on_exhaustion,
  };
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined));
}
