/**
 * Signs requests for an API behind an IAM authorizer (SigV4), with the credentials of the shell: variables, a profile, a
 * single sign-on. Loaded only when it is asked for, since most of what it loads is the search for credentials.
 */
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ClientOptions } from '../client/index.ts';
import { UsageError } from './refusals.ts';

type Sign = NonNullable<ClientOptions['sign']>;

/** The region stands in the address of every API Gateway; behind a domain of its own it has to be said. */
export function regionOf(url: string, said: string | null): string {
  const found = /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(url).host)?.[1] ?? said;
  if (found !== null) return found;
  throw new UsageError('--sign: the address does not tell the region: set AWS_REGION');
}

export function sigV4(region: string, credentials = defaultProvider()): Sign {
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });
  return async ({ method, url, headers, body }) => {
    const { host, hostname, pathname, protocol, searchParams } = new URL(url);
    const signed = await signer.sign({
      method,
      protocol,
      hostname,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...headers, host },
      ...(body === null ? {} : { body }),
    });
    // fetch sets the host itself, to the very same value.
    return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => name !== 'host'));
  };
}
