/** The shipped examples: their inputs, stages, bodies and outputs, as acceptance and participants rely on them. */
import { describe, expect, it } from 'vitest';
import { EXAMPLE_TOPICS, undoBodyOf } from '../../lib/contract/examples.ts';
import type { WorkflowPlan } from '../../lib/core/plan.ts';
import { examples } from '../../lib/workflows/examples.ts';

function planOf(type: string): WorkflowPlan {
  const plan = examples.find(type, null);
  if (plan === undefined) throw new Error(`no example ${type}`);
  return plan;
}

const stagesOf = (plan: WorkflowPlan) => plan.steps.map(({ name, stage, kind, topic }) => [name, stage, kind, topic]);
const undosOf = (plan: WorkflowPlan) =>
  plan.steps.map(({ undo }) => (undo !== null && 'topics' in undo ? undo.topics : undo));

/** Every body that the workflow sends, from one input and one set of answers. */
const bodiesOf = (plan: WorkflowPlan, input: unknown, outputs: Record<string, unknown>) =>
  plan.steps.map((step) => [step.topic, step.map({ input, outputs })]);

const signup = { company: 'Acme', email: 'a@acme.example', plan: 'free' };
const signupOutputs = { tenant: { tenant_id: 't1' }, billing: { account_id: 'a1' }, user: { user_id: 'u1' } };
const order = { order_id: 'o1', sku: 's1', quantity: 2, amount: 19.9, address: 'Main Street 1' };
const orderOutputs = {
  reservation: { reservation_id: 'r1' },
  payment: { payment_id: 'p1' },
  fulfilment: { fulfilment_id: 'f1' },
};
const onboarding = { company: 'Acme', approver: 'grace@acme.example' };
const onboardingOutputs = {
  approval: { decision: 'approved', by: 'Grace', comment: null },
  welcome: null,
  notify: { message_id: 'm1' },
};
const research = { question: 'why?' };
const researchOutputs = {
  miner: { findings: ['a', 'b'] },
  auditor: { accepted: ['a'], rejected: ['b'] },
  strategist: { plan: ['do a'] },
};

describe('signup', () => {
  const plan = planOf('signup');

  it('sets up tenant and billing at once, then the user; each can be taken back', () => {
    expect(stagesOf(plan)).toEqual([
      ['tenant', 0, 'compensatable', 'tenant:create'],
      ['billing', 0, 'compensatable', 'billing:setup'],
      ['user', 1, 'compensatable', 'user:create'],
    ]);
    expect(undosOf(plan)).toEqual([['tenant:delete'], ['billing:teardown'], ['user:delete']]);
  });

  it('sends each service its part and answers the three ids', () => {
    expect(bodiesOf(plan, signup, signupOutputs)).toEqual([
      ['tenant:create', { company: 'Acme' }],
      ['billing:setup', { company: 'Acme', plan: 'free' }],
      ['user:create', { email: 'a@acme.example', tenant_id: 't1', account_id: 'a1' }],
    ]);
    expect(plan.output({ input: signup, outputs: signupOutputs })).toEqual({
      tenant_id: 't1',
      account_id: 'a1',
      user_id: 'u1',
    });
  });

  it.each<[string, object, string]>([
    ['an empty company', { company: '' }, '/company'],
    ['a company of 101 characters', { company: 'x'.repeat(101) }, '/company'],
    ['an email that is no string', { email: null }, '/email'],
    ['an unknown field', { vat: '1' }, '/vat'],
  ])('refuses %s', (_name, changed, path) => {
    expect(plan.checkInput({ ...signup, ...changed })).toMatchObject({ ok: false, errors: [{ path }] });
  });

  it('leaves plans and addresses to the services that know them', () => {
    expect(plan.checkInput({ company: 'x'.repeat(100), email: 'nonsense', plan: 'gold' }).ok).toBe(true);
  });
});

describe('order', () => {
  const plan = planOf('order');

  it('reserves, then takes the money, then ships; what could be repeated at a cost is asked about first', () => {
    expect(stagesOf(plan)).toEqual([
      ['reservation', 0, 'compensatable', 'inventory:reserve'],
      ['payment', 1, 'compensatable', 'payment:authorise'],
      ['fulfilment', 2, 'compensatable', 'fulfilment:create'],
    ]);
    expect(undosOf(plan)).toEqual([['inventory:release'], ['payment:cancel'], ['fulfilment:cancel']]);
    expect(plan.steps.map(({ onUnknown, query }) => [onUnknown, query?.topic])).toEqual([
      ['retry', 'inventory:find'],
      ['query', 'payment:find'],
      ['query', 'fulfilment:find'],
    ]);
    expect(plan.recovery).toEqual(['fulfilment', 'payment', 'reservation']);
  });

  it('sends each service its part and answers the three ids', () => {
    expect(bodiesOf(plan, order, orderOutputs)).toEqual([
      ['inventory:reserve', { order_id: 'o1', sku: 's1', quantity: 2 }],
      ['payment:authorise', { order_id: 'o1', amount: 19.9 }],
      ['fulfilment:create', { order_id: 'o1', address: 'Main Street 1', reservation_id: 'r1', payment_id: 'p1' }],
    ]);
    const ids = { reservation_id: 'r1', payment_id: 'p1', fulfilment_id: 'f1' };
    expect(plan.output({ input: order, outputs: orderOutputs })).toEqual(ids);
  });

  it.each<[string, object, string]>([
    ['no quantity', { quantity: 0 }, '/quantity'],
    ['half a piece', { quantity: 1.5 }, '/quantity'],
    ['a negative amount', { amount: -1 }, '/amount'],
    ['an unknown field', { note: '' }, '/note'],
  ])('refuses %s', (_name, changed, path) => {
    expect(plan.checkInput({ ...order, ...changed })).toMatchObject({ ok: false, errors: [{ path }] });
  });

  it('lets an empty address through to fulfilment, which refuses it', () => {
    expect(plan.checkInput({ ...order, address: '', amount: 0 }).ok).toBe(true);
  });
});

describe('research', () => {
  const plan = planOf('research');

  it('only reads: mine, audit, plan', () => {
    expect(stagesOf(plan)).toEqual([
      ['miner', 0, 'readOnly', 'research:mine'],
      ['auditor', 1, 'readOnly', 'research:audit'],
      ['strategist', 2, 'readOnly', 'research:plan'],
    ]);
    expect(undosOf(plan)).toEqual([null, null, null]);
  });

  it('audits what was mined and plans on what stood up', () => {
    expect(bodiesOf(plan, research, researchOutputs)).toEqual([
      ['research:mine', { question: 'why?' }],
      ['research:audit', { question: 'why?', findings: ['a', 'b'] }],
      ['research:plan', { question: 'why?', findings: ['a'] }],
    ]);
    expect(plan.output({ input: research, outputs: researchOutputs })).toEqual({
      findings: ['a', 'b'],
      audit: { accepted: ['a'], rejected: ['b'] },
      plan: ['do a'],
    });
  });

  it('takes a question and nothing else', () => {
    expect(plan.checkInput(research).ok).toBe(true);
    expect(plan.checkInput({ ...research, depth: 3 })).toMatchObject({ ok: false, errors: [{ path: '/depth' }] });
  });
});

describe('onboarding', () => {
  const plan = planOf('onboarding');

  it('asks a person, waits three days, and sends last what cannot be called back', () => {
    expect(stagesOf(plan)).toEqual([
      ['approval', 0, 'readOnly', 'mail:ask'],
      ['welcome', 1, 'readOnly', null],
      ['notify', 2, 'irreversible', 'notify:send'],
    ]);
    expect(plan.steps.map(({ work }) => work.type)).toEqual(['approval', 'timer', 'call']);
  });

  it('is open for longer than its waits take together', () => {
    const week = 7 * 86_400_000;
    expect(plan.steps[0]?.work).toMatchObject({ withinMs: week, onExpiry: 'declined', onDecline: 'fail' });
    expect(plan.deadlineMs).toBeGreaterThan(week + 3 * 86_400_000);
  });
});

describe('the contract between examples and participants', () => {
  const inputs: Record<string, unknown> = { signup, order, research, onboarding };
  const outputs: Record<string, Record<string, unknown>> = {
    signup: signupOutputs,
    order: orderOutputs,
    research: researchOutputs,
    onboarding: onboardingOutputs,
  };
  const calls = examples
    .list()
    .flatMap((plan) => plan.steps.map((step) => ({ plan, step })))
    .filter(({ step }) => step.topic !== null);

  it.each(calls.map(({ plan, step }) => [step.topic, plan, step] as const))(
    '%s: what is sent is what is expected',
    (topic, plan, step) => {
      const contract = Object.entries(EXAMPLE_TOPICS).find(([name]) => name === topic)?.[1];
      const answered = outputs[plan.type] ?? {};
      const body = step.map({ input: inputs[plan.type], outputs: answered });
      expect(contract?.input.parse(body)).toEqual(body);
      // A person's step answers with the decision, not with what brought the question.
      expect(step.checkOutput(Object(answered[step.name]))).toEqual({ ok: true, value: answered[step.name] });
    },
  );

  it('an undo carries what was sent and what was answered, or null', () => {
    const undo = undoBodyOf(EXAMPLE_TOPICS['tenant:create']);
    expect(undo.safeParse({ input: { company: 'Acme' }, output: null }).success).toBe(true);
    expect(undo.safeParse({ input: { company: 'Acme' }, output: { tenant_id: 't1' } }).success).toBe(true);
    expect(undo.safeParse({ input: { company: 'Acme' } }).success).toBe(false);
  });
});
