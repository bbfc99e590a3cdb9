/**
 * Whether a call may go where an address says, and to which machines exactly. Asked anew for each hop: what a redirect
 * names is nobody's configuration. Nothing is sent before the answer, and what was checked is what is connected to.
 */
import { isAllowedHost, isCallablePort, type PlainUrl, readPlainUrl } from '../contract/http-targets.ts';
import { isLoopbackAddress, isPublicAddress } from './addresses.ts';

/** The addresses of a host, as the system's resolver has them now. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Policy {
  readonly allowedHosts: readonly string[];
  /** Where the target itself is; its port is allowed beside the usual one. */
  readonly declared: PlainUrl;
}

export interface Destination {
  readonly url: PlainUrl;
  /** Checked; connect to one of these and to no other. */
  readonly addresses: readonly string[];
}

/** The call may not go there: nothing was sent. */
export class ForbiddenDestination extends Error {
  override readonly name = 'ForbiddenDestination';
}

/** The host's name leads nowhere now: nothing was sent. */
export class UnresolvedHost extends Error {
  override readonly name = 'UnresolvedHost';
}

/** @throws ForbiddenDestination, UnresolvedHost */
export async function destinationOf(text: string, policy: Policy, resolve: Resolve): Promise<Destination> {
  const url = permitted(text, policy);
  if (url.local) return { url, addresses: [url.host] };
  let addresses: readonly string[];
  try {
    addresses = await resolve(url.host);
  } catch {
    throw new UnresolvedHost(`the host ${url.host} could not be resolved`);
  }
  if (addresses.length === 0) throw new UnresolvedHost(`the host ${url.host} has no address`);
  // One bad address among good ones is a host that answers as it likes.
  if (addresses.every(isPublicAddress)) return { url, addresses };
  throw new ForbiddenDestination(`the host ${url.host} leads to an address that is not public`);
}

/** What can be said of an address before any name is looked up. */
function permitted(text: string, { allowedHosts, declared }: Policy): PlainUrl {
  const url = readPlainUrl(text);
  if (url === null) throw new ForbiddenDestination('the address is not written as https://host/path');
  if (url.local) {
    // Only what configuration itself has named, and never by a redirect from elsewhere.
    const isDeclared = declared.local && url.origin === declared.origin && isLoopbackAddress(url.host);
    if (isDeclared) return url;
    throw new ForbiddenDestination('the address is one of this machine');
  }
  if (!url.secure) throw new ForbiddenDestination('only https is called');
  if (!isAllowedHost(allowedHosts, url.host))
    throw new ForbiddenDestination(`the host ${url.host} is not an allowed one`);
  if (!isCallablePort(url.port, declared.port)) throw new ForbiddenDestination(`port ${url.port} is not called`);
  return url;
}
