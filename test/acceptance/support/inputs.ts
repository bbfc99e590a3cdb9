/**
 * Inputs for the example workflows, new ones at each call, so that a run never meets what an earlier run left behind, and
 * where the effects of each workflow are to be found.
 */
import { randomUUID } from 'node:crypto';

const run = randomUUID().slice(0, 8);
let made = 0;

export const unique = (prefix = 'x'): string => `${prefix}-${run}-${++made}`;

export interface SignupInput {
  company: string;
  email: string;
  plan: string;
}

export const signup = (overrides: Partial<SignupInput> = {}): SignupInput => ({
  company: unique('Acme'),
  email: `${unique('ada')}@example.com`,
  plan: 'standard',
  ...overrides,
});

/** Billing refuses it in stage 1, beside the tenant. */
export const withBadPlan = () => signup({ plan: 'platinum' });

/** The user step refuses it in stage 2, after tenant and billing. */
export const withBadEmail = () => signup({ email: 'no-email' });

/** As a bad email, and the tenant cannot be deleted. */
export const withStickyTenant = () => signup({ company: unique('sticky'), email: 'no-email' });

export interface OrderInput {
  order_id: string;
  sku: string;
  quantity: number;
  amount: number;
  address: string;
}

export const order = (overrides: Partial<OrderInput> = {}): OrderInput => ({
  order_id: unique('order'),
  sku: 'teapot',
  quantity: 2,
  amount: 1999,
  address: '1 Main Street',
  ...overrides,
});

export const research = () => ({ question: `Why is the sky blue? ${unique()}` });

/** step → service that holds its effect */
export const EFFECTS: Record<string, Record<string, string>> = {
  signup: { tenant: 'tenant', billing: 'billing', user: 'user' },
  order: { reservation: 'inventory', payment: 'payment', fulfilment: 'fulfilment' },
  research: {},
  onboarding: { notify: 'notify' },
};
