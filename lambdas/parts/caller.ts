/**
 * Who calls, from what the API's authorizer verified and from nothing else. An IAM principal is its account and its role
 * or user, never the name of a session, which the caller chooses; a token is its issuer and subject.
 */
import type { DoorEnvironment } from '../../lib/contract/door-environment.ts';
import { Refusal } from '../../lib/contract/problem.ts';
import type { Viewer } from '../../lib/operations/inspect.ts';

/** `requestContext.authorizer` of an HTTP API's event. */
export interface Authorizer {
  readonly iam?: { readonly userArn?: string | null };
  readonly jwt?: { readonly claims: Readonly<Record<string, unknown>>; readonly scopes?: readonly string[] | null };
}

const ARN = /^arn:[a-z-]+:(?:iam|sts)::(\d{12}):(.+)$/;

export function viewerOf(authorizer: Authorizer | undefined, doors: DoorEnvironment): Viewer {
  const { iam, jwt } = authorizer ?? {};
  if (jwt !== undefined) {
    const { iss, sub, scope } = jwt.claims;
    if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '') throw unknownCaller();
    const scopes = jwt.scopes ?? (typeof scope === 'string' ? scope.split(' ') : []);
    const operates = doors.operateScope !== null && scopes.includes(doors.operateScope);
    return { callerId: `${iss}#${sub}`, role: operates ? 'operator' : 'submitter' };
  }
  const callerId = principalOf(iam?.userArn ?? '');
  return { callerId, role: doors.operators.has(callerId) ? 'operator' : 'submitter' };
}

function principalOf(arn: string): string {
  const [, account, resource = ''] = ARN.exec(arn) ?? [];
  if (account === undefined) throw unknownCaller();
  const [kind, ...path] = resource.split('/');
  if (kind === 'root') return `${account}/root`;
  // arn:aws:sts::<account>:assumed-role/<role>/<session>
  const name = kind === 'assumed-role' ? path[0] : path.at(-1);
  if (kind === undefined || name === undefined || name === '') throw unknownCaller();
  return `${account}/${kind === 'assumed-role' ? 'role' : kind}/${name}`;
}

function unknownCaller(): Refusal {
  return new Refusal('ORCH_UNAUTHENTICATED', 'no caller is known: sign the request, or send a token of the issuer');
}
