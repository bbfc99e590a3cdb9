import { expect, it } from 'vitest';
import { retryTokens } from '../../lib/operations/retry-tokens.ts';

const spend = (tokens: ReturnType<typeof retryTokens>, count: number): void => {
  for (let i = 0; i < count; i += 1) tokens.called('a:do', true);
};

it('a burst of retries costs no extra delay, a storm does', () => {
  const tokens = retryTokens();
  spend(tokens, 100);
  expect(tokens.penaltyMs('a:do')).toBe(0);
  spend(tokens, 40);
  expect(tokens.penaltyMs('a:do')).toBe(5_000);
});

it('calls that are no retries earn the delay away, one retry for five', () => {
  const tokens = retryTokens();
  spend(tokens, 200);
  for (let i = 0; i < 6; i += 1) tokens.called('a:do', false);
  expect(tokens.penaltyMs('a:do')).toBe(0);
});

it('one dependency in trouble does not slow down another', () => {
  const tokens = retryTokens();
  spend(tokens, 200);
  expect(tokens.penaltyMs('b:do')).toBe(0);
});
