/** `errors.json`: what it may say, what it then changes, and what keeps the server from starting. */
import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../lib/contract/policies.ts';
import { planOf } from '../../lib/core/effects.ts';
import { PREFIX_POLICIES, policyFor, type RetryPolicy } from '../../lib/core/errors.ts';
import type { WorkflowPlan } from '../../lib/core/plan.ts';
import { underPolicies } from '../../lib/core/policy-settings.ts';
import { withPolicies } from '../../lib/operations/policies.ts';
import { examples } from '../../lib/workflows/examples.ts';

const parse = (document: unknown) => parsePolicies(JSON.stringify(document));
const WHOLE = {
  retryable: true,
  max_attempts: 3,
  backoff_base_seconds: 2,
  backoff_multiplier: 3,
  max_backoff_seconds: 30,
  jitter: 'none',
  dead_letter_on_exhaustion: false,
};
const READ: RetryPolicy = {
  retryable: true,
  maxAttempts: 3,
  backoffBaseSeconds: 2,
  backoffMultiplier: 3,
  maxBackoffSeconds: 30,
  jitter: 'none',
  deadLetterOnExhaustion: false,
};

describe('errors.json', () => {
  it('sets every field of a policy, for a code, a participant’s own code, and each prefix', () => {
    const names = [
      'EXT_TIMEOUT',
      'CARD_EXPIRED',
      'card.expired',
      ...PREFIX_POLICIES.map(({ prefix }) => prefix || 'other'),
    ];
    const { all } = parse(Object.fromEntries(names.map((name) => [name, WHOLE])));
    for (const code of [
      'EXT_TIMEOUT',
      'CARD_EXPIRED',
      'card.expired',
      'DQ_X',
      'LEGAL_X',
      'CONTRACT_X',
      'ORCH_X',
      'X',
    ]) {
      expect(policyFor(code, [all]), code).toEqual(READ);
    }
  });

  it('changes what it names and nothing beside', () => {
    const { all } = parse({ EXT_TIMEOUT: { max_attempts: 2 } });
    expect(all).toEqual({ EXT_TIMEOUT: { maxAttempts: 2 } });
    expect(policyFor('EXT_TIMEOUT', [all])).toEqual({ ...policyFor('EXT_TIMEOUT', []), maxAttempts: 2 });
    expect(policyFor('EXT_UNAVAILABLE', [all])).toEqual(policyFor('EXT_UNAVAILABLE', []));
  });

  it('that says nothing changes nothing', () => {
    expect(parsePolicies('{}')).toEqual({ all: {}, workflows: [] });
    expect(withPolicies(examples, parsePolicies('{}')).list()).toEqual(examples.list());
  });

  it('is overridden by the definition, unless it names the workflow or the step itself', () => {
    const order = examples.find('order', null);
    if (order === undefined) throw new Error('no order');
    const code = 'EXT_TIMEOUT';
    const own: WorkflowPlan = { ...order, retry: { EXT_: { maxAttempts: 7 } } };
    const settings = parse({
      EXT_: { max_attempts: 2, jitter: 'none' },
      workflows: { order: { EXT_TIMEOUT: { max_attempts: 8 }, steps: { payment: { EXT_: { max_attempts: 9 } } } } },
    });
    const plan = underPolicies(own, settings);
    const attempts = (scopes: WorkflowPlan, step: string) =>
      policyFor(code, [settings.all, scopes.retry, planOf(scopes, step).retry]);
    expect(attempts(own, 'payment')).toMatchObject({ maxAttempts: 7, jitter: 'none' });
    expect(attempts(plan, 'reservation')).toMatchObject({ maxAttempts: 8, jitter: 'none' });
    expect(attempts(plan, 'payment')).toMatchObject({ maxAttempts: 9, jitter: 'none' });
  });

  it.each([
    ['no JSON', '{"EXT_TIMEOUT": {', /not JSON: write \{/],
    ['a list', '[]', /the file: write an object/],
    ['a policy that is none', '{"EXT_TIMEOUT": 3}', /EXT_TIMEOUT: /],
    ['an unknown field', '{"EXT_TIMEOUT": {"attempts": 3}}', /EXT_TIMEOUT: attempts is no field.*write.*max_attempts/],
    ['our own spelling of a field', '{"EXT_": {"maxAttempts": 3}}', /EXT_: maxAttempts is no field of a policy/],
    ['a prefix that is none', '{"BILLING_": {}}', /BILLING_: is no prefix: write one of.*EXT_.*other/],
    ['a code that the orchestrator has not', '{"ORCH_TIMEOUT": {}}', /ORCH_TIMEOUT: is no code of the orchestrator/],
    ['a name that is no code', '{"too slow": {}}', /too slow: is no error code: write one such as EXT_TIMEOUT/],
    ['a name that changes prototypes', '{"__proto__": {}}', /__proto__: is no/],
    ['no attempts', '{"EXT_": {"max_attempts": 0}}', /EXT_\.max_attempts: write a whole number from 1/],
    ['half an attempt', '{"EXT_": {"max_attempts": 1.5}}', /EXT_\.max_attempts: write a whole number/],
    ['too many attempts', '{"EXT_": {"max_attempts": 101}}', /EXT_\.max_attempts: write a whole number from 1 to 100/],
    [
      'a backoff of nothing',
      '{"EXT_": {"backoff_base_seconds": 0}}',
      /backoff_base_seconds: write seconds, more than 0/,
    ],
    ['a backoff of days', '{"EXT_": {"max_backoff_seconds": 90000}}', /max_backoff_seconds: write seconds.*86400/],
    ['a shrinking backoff', '{"EXT_": {"backoff_multiplier": 0.5}}', /backoff_multiplier: write a number from 1/],
    [
      'a cap below the base',
      '{"EXT_": {"backoff_base_seconds": 9, "max_backoff_seconds": 3}}',
      /at least backoff_base/,
    ],
    ['another jitter', '{"EXT_": {"jitter": "half"}}', /EXT_\.jitter: write full or none/],
    ['yes for true', '{"EXT_": {"retryable": "yes"}}', /EXT_\.retryable: write true or false/],
    ['a workflow that is none', '{"workflows": {"signup": []}}', /workflows\.signup: write an object/],
    [
      'a mistake within a step',
      '{"workflows": {"signup": {"steps": {"tenant": {"EXT_": {"jitter": 1}}}}}}',
      /workflows\.signup\.steps\.tenant\.EXT_\.jitter: write/,
    ],
  ])('is refused for %s, with what to write', (_what, text, message) => {
    expect(() => parsePolicies(text)).toThrow(message);
  });

  it('tells everything that is wrong at once', () => {
    const told = /^BILLING_: .*; EXT_\.jitter: .*; workflows\.a\.DQ_\.max_attempts: /;
    const workflows = { a: { DQ_: { max_attempts: 0 } } };
    expect(() => parse({ BILLING_: {}, EXT_: { jitter: 1 }, workflows })).toThrow(told);
  });

  it('is refused for names that no definition has, with those there are', () => {
    const start = (workflows: object) => () => withPolicies(examples, parse({ workflows }));
    expect(start({ signin: {} })).toThrow(/workflows\.signin: there is no such workflow: write one of .*signup/);
    expect(start({ signup: { steps: { owner: {} } } })).toThrow(
      /workflows\.signup\.steps\.owner: there is no such step: write one of tenant, billing, user/,
    );
  });
});
