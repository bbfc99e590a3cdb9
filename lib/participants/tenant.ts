/** Keeps the companies that signed up. Some cannot be removed again: the example of an undo that is refused for good. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, localUndoOf, Refusal, service } from '../worker/index.ts';

export const tenant = service('tenant', {
  'tenant:create': localForward(EXAMPLE_TOPICS['tenant:create'], ({ input, newId }) => {
    const output = { tenant_id: newId('ten') };
    return { record: { ...output, ...input }, output };
  }),
  'tenant:delete': localUndoOf('tenant:create', ({ company }) => {
    if (!String(company).startsWith('sticky')) return;
    const detail = 'a sticky company cannot be deleted; settle its contracts, then delete it by hand';
    throw new Refusal('conflict', { detail });
  }),
});
