/** Keeps who may log in, under an address that could exist. */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, localUndoOf, Refusal, service } from '../worker/index.ts';

/** Only a mail that arrives proves an address; this finds what was mistyped. */
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

export const user = service('user', {
  'user:create': localForward(EXAMPLE_TOPICS['user:create'], ({ input, newId }) => {
    if (!EMAIL.test(input.email)) {
      throw new Refusal('validation-error', { detail: 'the email is no address; write it like name@example.com' });
    }
    const output = { user_id: newId('usr') };
    return { record: { ...output, ...input }, output };
  }),
  'user:delete': localUndoOf('user:create'),
});
