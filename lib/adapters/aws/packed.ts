/**
 * JSON as bytes: deflated, since DynamoDB counts every kilobyte begun. A signup's document of 1.7 KB packs to 0.7, so
 * that each of its five writes costs one write unit and not two. Plain zlib, so any language reads it back.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export function packed(text: string): Uint8Array {
  return deflateRawSync(text);
}

export function unpacked(bytes: Uint8Array): string {
  return inflateRawSync(bytes).toString('utf8');
}
