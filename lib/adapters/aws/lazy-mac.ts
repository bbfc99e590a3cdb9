/** Few steps have a token: so the KMS client is loaded with the first one, and lies in a file of its own. */
import type { KMSClientConfig } from '@aws-sdk/client-kms';
import type { Mac } from './mac.ts';

export function lazyMac(config: KMSClientConfig): Mac {
  let loaded: Promise<Mac> | null = null;
  const mac = (): Promise<Mac> => {
    loaded ??= import('./mac.ts').then((module) => module.kmsMac(config));
    return loaded;
  };
  return {
    generate: async (...given) => (await mac()).generate(...given),
    verify: async (...given) => (await mac()).verify(...given),
    destroy: () => void loaded?.then((one) => one.destroy()),
  };
}
