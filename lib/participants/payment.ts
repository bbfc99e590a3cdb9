/** Authorises amounts. Nobody may be charged twice: the example of a step that is asked about when its answer is lost. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, localUndoOf, queryOf, service } from '../worker/index.ts';

export const payment = service('payment', {
  'payment:authorise': localForward(EXAMPLE_TOPICS['payment:authorise'], ({ input, newId }) => {
    const output = { payment_id: newId('pay') };
    return { record: { ...output, ...input }, output };
  }),
  'payment:cancel': localUndoOf('payment:authorise'),
  'payment:find': queryOf('payment:authorise'),
});
