/** Holds goods back for an order. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, localUndoOf, queryOf, service } from '../worker/index.ts';

export const inventory = service('inventory', {
  'inventory:reserve': localForward(EXAMPLE_TOPICS['inventory:reserve'], ({ input, newId }) => {
    const output = { reservation_id: newId('res') };
    return { record: { ...output, ...input }, output };
  }),
  'inventory:release': localUndoOf('inventory:reserve'),
  'inventory:find': queryOf('inventory:reserve'),
});
