/**
 * A call to where it leads in the end: redirects that keep method and body are followed, each checked like the first
 * address and each with less to carry. A redirect that asks for another method is an answer, since what came before it
 * may have been done.
 */
import { type PlainUrl, readPlainUrl } from '../contract/http-targets.ts';
import { type Destination, destinationOf, ForbiddenDestination, type Policy, type Resolve } from './destination.ts';
import type { Dial } from './dial.ts';
import { exchange, type Outgoing, type Received } from './exchange.ts';

export interface Way {
  readonly resolve: Resolve;
  readonly dial: Dial;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

export interface Letter extends Outgoing {
  readonly url: string;
  /** For the declared host alone: they leave with the first redirect to another. */
  readonly confidential: Readonly<Record<string, string>>;
  readonly redirects: number;
}

/** They say that nothing was done here, and to ask the same elsewhere. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);

/** @throws ForbiddenDestination, UnresolvedHost, NotSent, Broken, TimedOut */
export async function follow(letter: Letter, policy: Policy, way: Way): Promise<Received> {
  let text = letter.url;
  for (let hops = 0; ; hops += 1) {
    const to: Destination = await destinationOf(text, policy, inTime(way));
    const isDeclared = to.url.origin === policy.declared.origin;
    const headers = isDeclared ? { ...letter.headers, ...letter.confidential } : letter.headers;
    const received = await exchange(to, { ...letter, headers }, way);
    const { location } = received.headers;
    if (!KEEPS_METHOD.has(received.status) || location === undefined) return received;
    if (hops >= letter.redirects)
      throw new ForbiddenDestination(`it was redirected more than ${letter.redirects} times`);
    text = next(to.url, location);
  }
}

/** A resolver knows no signal; whoever waits for it does. */
function inTime({ resolve, signal }: Way): Resolve {
  return (host) =>
    new Promise((found, failed) => {
      const giveUp = (): void => failed(signal.reason);
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      resolve(host)
        .then(found, failed)
        .finally(() => signal.removeEventListener('abort', giveUp));
    });
}

/** Resolved as a path of the same host, or taken as it stands: what is neither is refused where it is checked. */
function next(from: PlainUrl, location: string): string {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(location)) {
    if (readPlainUrl(location) === null)
      throw new ForbiddenDestination('it was redirected to an address that is not plain');
    return location;
  }
  const host = from.host.includes(':') ? `[${from.host}]` : from.host;
  return `${from.secure ? 'https' : 'http'}://${host}:${from.port}${location}`;
}
