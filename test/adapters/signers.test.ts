import { createHmac } from 'node:crypto';
import { GenerateMacCommand, KMSClient, KMSInvalidMacException, VerifyMacCommand } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kmsMac } from '../../lib/adapters/aws/mac.ts';
import { kmsSigner } from '../../lib/adapters/aws/signer.ts';
import { hmacSigner } from '../../lib/adapters/hmac-signer.ts';
import type { Database } from '../../lib/adapters/sqlite/database.ts';
import { sqliteSigner } from '../../lib/adapters/sqlite/signer.ts';
import { signerContract } from '../contracts/signer.ts';
import { opened } from './sqlite/file.ts';

describe('a key in this process', () => {
  signerContract(async () => hmacSigner(Buffer.alloc(32, 7)));
});

describe('the key of a file', () => {
  let file: Database;
  beforeEach(() => {
    file = opened();
  });
  signerContract(async () => sqliteSigner(file));

  it('is another one in another file', async () => {
    const macs = await Promise.all([file, opened()].map((one) => sqliteSigner(one).sign('text')));
    expect(Buffer.from(macs[0] ?? [])).not.toEqual(Buffer.from(macs[1] ?? []));
  });
});

describe('a key in KMS', () => {
  const kms = mockClient(KMSClient);
  const mac = (message: Uint8Array | undefined): Buffer =>
    createHmac('sha256', 'in KMS')
      .update(message ?? '')
      .digest();
  const region = { region: 'eu-central-1' };

  beforeEach(() => {
    kms.on(GenerateMacCommand).callsFake(({ Message }) => ({ Mac: mac(Message) }));
    kms.on(VerifyMacCommand).callsFake(({ Message, Mac }) => {
      if (mac(Message).equals(Mac ?? Buffer.alloc(0))) return { MacValid: true };
      throw new KMSInvalidMacException({ message: 'invalid', $metadata: {} });
    });
  });
  afterEach(() => kms.reset());

  signerContract(async () => kmsSigner(kmsMac(region), 'key-1'));

  it('does not take an outage for a wrong signature', async () => {
    kms.on(VerifyMacCommand).rejects(new Error('throttled'));
    await expect(kmsSigner(kmsMac(region), 'key-1').verify('text', mac(undefined))).rejects.toThrow('throttled');
  });

  it('that a function was not given is named when it is needed', async () => {
    await expect(async () => kmsSigner(kmsMac(region), null).sign('text')).rejects.toThrow('DACAPO_CALLBACK_KEY_ID');
  });
});
