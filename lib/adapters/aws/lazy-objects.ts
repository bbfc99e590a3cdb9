/**
 * Large values in the bucket. Few jobs have any, and the S3 client is a fifth of a function's code: so it is loaded with
 * the first one, and lies in a file of its own beside the function's.
 */
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { Objects } from './objects.ts';

export function lazyObjects(config: S3ClientConfig): Objects {
  let loaded: Promise<Objects> | null = null;
  const objects = (): Promise<Objects> => {
    loaded ??= import('./objects.ts').then((module) => module.s3Objects(config));
    return loaded;
  };
  return {
    put: async (...given) => (await objects()).put(...given),
    get: async (...given) => (await objects()).get(...given),
    destroy: () => void loaded?.then((one) => one.destroy()),
  };
}
