/**
 * Tokens signed by a KMS key that never leaves KMS. Who may make tokens and who may only check them are different
 * rights: a door that is open to everybody cannot make any.
 */
import { AWS_VARIABLES } from '../../contract/aws-environment.ts';
import type { Signer } from '../../ports.ts';
import type { Mac } from './mac.ts';
import { granted } from './not-granted.ts';

const MAC_BYTES = 32;

export function kmsSigner(mac: Mac, keyId: string | null): Signer {
  const key = (): string => granted(keyId, AWS_VARIABLES.callbackKeyId);
  return {
    sign: (text) => mac.generate(key(), Buffer.from(text, 'utf8')),
    // KMS refuses other lengths as malformed, which is no outage.
    verify: async (text, given) =>
      given.byteLength === MAC_BYTES && (await mac.verify(key(), Buffer.from(text, 'utf8'), given)),
  };
}
