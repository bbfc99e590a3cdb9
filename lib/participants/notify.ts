/** Sends messages to people: what it sent is its record. A message cannot be called back, so there is no undo. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, service } from '../worker/index.ts';

export const notify = service('notify', {
  'notify:send': localForward(EXAMPLE_TOPICS['notify:send'], ({ input, newId }) => {
    const output = { message_id: newId('msg') };
    return { record: { ...output, ...input }, output };
  }),
});
