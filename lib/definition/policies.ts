/**
 * Retry policies as a definition overrides them, by error code or by prefix. A key that could never match, or a field
 * that no policy has, is refused: a silent override is one that nobody notices missing.
 */
import * as z from 'zod';
import { type PolicyOverride, type PolicyOverrides, PREFIX_POLICIES } from '../core/errors.ts';
import { check } from './schemas.ts';

const CODE = /^[A-Z][A-Z0-9_]*[A-Z0-9]$/;

const seconds = z.number().positive();
const override = z
  .strictObject({
    retryable: z.boolean(),
    maxAttempts: z.int().min(1),
    backoffBaseSeconds: seconds,
    backoffMultiplier: z.number().min(1),
    maxBackoffSeconds: seconds,
    jitter: z.enum(['full', 'none']),
    deadLetterOnExhaustion: z.boolean(),
  })
  .partial();

export function* policyProblems(what: string, policy: PolicyOverride | undefined): Generator<string> {
  const checked = check(override, policy ?? {});
  if (checked.ok) return;
  for (const { path, message } of checked.errors) yield `${what} ${path.slice(1)}: ${message}`;
}

export function* overrideProblems(overrides: PolicyOverrides | undefined): Generator<string> {
  for (const [key, policy] of Object.entries(overrides ?? {})) {
    if (!isPrefix(key) && !CODE.test(key)) {
      const prefixes = PREFIX_POLICIES.map((row) => row.prefix).filter((prefix) => prefix !== '');
      yield `retry '${key}' matches no error; write a whole code such as EXT_TIMEOUT, or one of ${prefixes.join(', ')}`;
    }
    yield* policyProblems(`retry ${key}`, policy);
  }
}

function isPrefix(key: string): boolean {
  return PREFIX_POLICIES.some((row) => row.prefix === key);
}
