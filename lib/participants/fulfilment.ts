/** Sends goods to an address, if there is one. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, localUndoOf, queryOf, Refusal, service } from '../worker/index.ts';

export const fulfilment = service('fulfilment', {
  'fulfilment:create': localForward(EXAMPLE_TOPICS['fulfilment:create'], ({ input, newId }) => {
    if (input.address.trim() === '') {
      throw new Refusal('validation-error', { detail: 'the address is empty; say where the goods are to go' });
    }
    const output = { fulfilment_id: newId('ful') };
    return { record: { ...output, ...input }, output };
  }),
  'fulfilment:cancel': localUndoOf('fulfilment:create'),
  'fulfilment:find': queryOf('fulfilment:create'),
});
