/**
 * Signs with a key that this process holds: embedded mode, simulation and tests.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '../ports.ts';

/** As long as what comes out: a longer key adds nothing. */
export const KEY_BYTES = 32;

export function hmacSigner(key: Uint8Array): Signer {
  const mac = (text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest();
  return {
    sign: async (text) => mac(text),
    verify: async (text, given) => {
      const expected = mac(text);
      return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
    },
  };
}
