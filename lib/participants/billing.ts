/** Opens accounts. It alone knows the plans, so it alone refuses others: the example of a refused forward step. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, localUndoOf, Refusal, service } from '../worker/index.ts';

const PLANS = ['free', 'standard', 'premium'];

export const billing = service('billing', {
  'billing:setup': localForward(EXAMPLE_TOPICS['billing:setup'], ({ input, newId }) => {
    if (!PLANS.includes(input.plan)) {
      throw new Refusal('validation-error', { detail: `there is no such plan; choose one of ${PLANS.join(', ')}` });
    }
    const output = { account_id: newId('acc') };
    return { record: { ...output, ...input }, output };
  }),
  'billing:teardown': localUndoOf('billing:setup'),
});
