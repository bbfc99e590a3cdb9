/**
 * Reads a request's body within a bound, whether its length was announced or not, and as strict UTF-8: a byte that was
 * silently replaced would be stored as the caller's data.
 */
import { parseDocument } from '../contract/documents.ts';
import { malformed, Refusal } from '../contract/problem.ts';
import type { Json } from '../core/json.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

export async function readDocument(request: Request, bytesMax: number): Promise<Json> {
  return parseDocument(await readText(request, bytesMax));
}

export async function readText(request: Request, bytesMax: number): Promise<string> {
  const bytes = await readBytes(request, bytesMax);
  try {
    return UTF8.decode(bytes);
  } catch {
    throw malformed('the body is not valid UTF-8: encode it as UTF-8');
  }
}

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (announced === null) return readStream(request, bytesMax);
  if (Number(announced) > bytesMax) throw tooLarge(bytesMax);
  // HTTP's own framing holds the body to the announced length.
  return new Uint8Array(await request.arrayBuffer());
}

async function readStream(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal(
    'ORCH_PAYLOAD_TOO_LARGE',
    `the body is larger than ${bytesMax} bytes: send a reference to the data in place of the data`,
  );
}
