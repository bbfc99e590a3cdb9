/**
 * Who calls in embedded mode: whoever reaches the loopback interface is trusted to say so. `x-caller-id` names the
 * caller, `x-caller-role: submitter` gives up the operator's rights.
 */
import { readToken } from '../contract/headers.ts';
import { malformed } from '../contract/problem.ts';
import type { ReadCaller } from '../http/parts.ts';

const CALLER_DEFAULT = 'local';
const CALLER_CHARACTERS_MAX = 200;

export const localCaller: ReadCaller = ({ headers }) => ({
  callerId: readToken(headers, 'x-caller-id', CALLER_CHARACTERS_MAX) ?? CALLER_DEFAULT,
  role: readRole(headers.get('x-caller-role')),
});

function readRole(role: string | null): 'operator' | 'submitter' {
  if (role === null) return 'operator';
  if (role === 'operator' || role === 'submitter') return role;
  const message = 'write submitter or operator, or leave the header out';
  throw malformed(`header x-caller-role: ${message}`, [{ path: 'header:x-caller-role', message }]);
}
