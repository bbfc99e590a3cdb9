/**
 * A company signs up: tenant and billing at once, then its first user. All three exist in the end, or none does.
 * The input is checked for shape only; which plans there are and what an address looks like is known to the services.
 */
import * as z from 'zod';
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { step, workflow } from '../definition/index.ts';

const input = z.strictObject({
  company: z.string().min(1).max(100),
  email: z.string(),
  plan: z.string(),
});

export const signup = workflow('signup', 1)
  .input(input)
  .stage(
    step('tenant', {
      topic: 'tenant:create',
      undo: 'tenant:delete',
      input: ({ input }) => ({ company: input.company }),
      output: EXAMPLE_TOPICS['tenant:create'].output,
    }),
    step('billing', {
      topic: 'billing:setup',
      undo: 'billing:teardown',
      input: ({ input }) => ({ company: input.company, plan: input.plan }),
      output: EXAMPLE_TOPICS['billing:setup'].output,
    }),
  )
  .stage(
    step('user', {
      topic: 'user:create',
      undo: 'user:delete',
      input: ({ input, outputs }) => ({
        email: input.email,
        tenant_id: outputs.tenant.tenant_id,
        account_id: outputs.billing.account_id,
      }),
      output: EXAMPLE_TOPICS['user:create'].output,
    }),
  )
  .output(({ outputs }) => ({
    tenant_id: outputs.tenant.tenant_id,
    account_id: outputs.billing.account_id,
    user_id: outputs.user.user_id,
  }));
