/**
 * The inbox of those who are asked to decide: a letter carries the link with which its reader answers. It alone is given
 * the token; a letter that nobody needs any more may lie.
 */
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { localForward, service } from '../worker/index.ts';

export const mail = service('mail', {
  'mail:ask': localForward(EXAMPLE_TOPICS['mail:ask'], ({ input, newId, callbackToken }) => {
    const output = { letter_id: newId('let') };
    const link = callbackToken === null ? null : `/approvals/${callbackToken}`;
    return { record: { ...output, ...input, link }, output };
  }),
});
