/** Signatures made and checked by KMS. Imported by `lazy-mac.ts` alone, when the first token comes along. */
import {
  GenerateMacCommand,
  KMSClient,
  type KMSClientConfig,
  KMSInvalidMacException,
  VerifyMacCommand,
} from '@aws-sdk/client-kms';

export interface Mac {
  generate(keyId: string, message: Uint8Array): Promise<Uint8Array>;
  verify(keyId: string, message: Uint8Array, mac: Uint8Array): Promise<boolean>;
  destroy(): void;
}

const ALGORITHM = 'HMAC_SHA_256';

export function kmsMac(config: KMSClientConfig): Mac {
  const client = new KMSClient(config);
  return {
    generate: async (KeyId, Message) => {
      const { Mac: made } = await client.send(new GenerateMacCommand({ KeyId, Message, MacAlgorithm: ALGORITHM }));
      if (made === undefined) throw new Error('KMS answered without a signature');
      return made;
    },
    verify: async (KeyId, Message, Mac) => {
      try {
        const command = new VerifyMacCommand({ KeyId, Message, Mac, MacAlgorithm: ALGORITHM });
        return (await client.send(command)).MacValid === true;
      } catch (error) {
        if (error instanceof KMSInvalidMacException) return false;
        throw error;
      }
    },
    destroy: () => client.destroy(),
  };
}
