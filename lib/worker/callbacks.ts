/**
 * Answering later: what a participant says with the token of a call that it had answered with `accepted`. Whatever the
 * answer, nothing is to be repeated on a refusal; on a thrown error it is, under the same token.
 */
import type { Json } from '../contract/json.ts';
import { Reply } from './refusal.ts';

/** The work goes on after this answer; its end is told by `callbacks`. */
export function accepted(): Reply<null> {
  return new Reply('accepted', null);
}

/** `refused`: the token is used up, stale or expired; nobody waits for this answer. */
export type Heard = 'taken' | 'refused';

export interface Callbacks {
  succeed(token: string, output: Json): Promise<Heard>;
  fail(
    token: string,
    failure: { readonly code: string; readonly message: string; readonly applied?: boolean },
  ): Promise<Heard>;
  /** Says that the work goes on. */
  heartbeat(token: string): Promise<Heard>;
}

/** @param url of the orchestrator's API */
export function callbacks(url: string, send: typeof fetch = fetch): Callbacks {
  const post = async (path: string, body: Json | undefined): Promise<Heard> => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method: 'POST' } : { method: 'POST', headers, body: JSON.stringify(body) };
    const { status } = await send(`${url.replace(/\/+$/, '')}/callbacks/${path}`, init);
    if (status === 202) return 'taken';
    if (status === 401 || status === 409 || status === 410) return 'refused';
    // The token is part of the address, so the address is not said.
    throw new Error(`the callback was answered with ${status}: send it again, nothing happens twice`);
  };
  return {
    succeed: (token, output) => post(token, { status: 'succeeded', output }),
    fail: (token, { code, message, applied }) =>
      post(token, { status: 'failed', error_code: code, message, ...(applied === undefined ? {} : { applied }) }),
    heartbeat: (token) => post(`${token}/heartbeat`, undefined),
  };
}
