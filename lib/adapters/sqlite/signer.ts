/**
 * The signing key of this file: made when it is first needed, and the same ever after. Whoever may read the file may
 * sign; it is theirs.
 */
import { randomBytes } from 'node:crypto';
import type { Signer } from '../../ports.ts';
import { hmacSigner, KEY_BYTES } from '../hmac-signer.ts';
import type { Database } from './database.ts';

const NAME = 'callbacks';

export function sqliteSigner(database: Database): Signer {
  const read = database.prepare('SELECT bytes FROM keys WHERE name = ?');
  const make = database.prepare('INSERT INTO keys (name, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING');
  let made: Promise<Signer> | null = null;

  const signer = async (): Promise<Signer> => {
    if (read.get(NAME) === undefined) await database.write(() => make.run(NAME, randomBytes(KEY_BYTES)));
    const bytes = read.get(NAME)?.bytes;
    if (!(bytes instanceof Uint8Array)) throw new Error('the signing key cannot be read from the file');
    return hmacSigner(bytes);
  };
  const known = (): Promise<Signer> => {
    made ??= signer().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
  return {
    sign: async (text) => (await known()).sign(text),
    verify: async (text, mac) => (await known()).verify(text, mac),
  };
}
