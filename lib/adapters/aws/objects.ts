/** Large values in the bucket. Imported by `lazy-objects.ts` alone, when the first one comes along. */
import { GetObjectCommand, PutObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

export interface Objects {
  put(bucket: string, key: string, json: string): Promise<void>;
  /** Throws when there is none. */
  get(bucket: string, key: string): Promise<string>;
  destroy(): void;
}

export function s3Objects(config: S3ClientConfig): Objects {
  const client = new S3Client(config);
  return {
    put: async (Bucket, Key, Body) => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'application/json' }));
    },
    get: async (Bucket, Key) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return (await Body?.transformToString('utf-8')) ?? '';
    },
    destroy: () => client.destroy(),
  };
}
