/** What a driver hands to the function that calls participants over HTTPS. It answers with the envelope's response. */
import * as z from 'zod';
import { type EnvelopeRequest, envelopeRequest } from './envelope.ts';

const CALL = z.object({ target: z.string(), timeout_ms: z.int().min(1), request: envelopeRequest });

export type HttpCallDocument = z.output<typeof CALL>;

export interface ReadHttpCall {
  readonly target: string;
  readonly timeoutMs: number;
  readonly request: EnvelopeRequest;
}

/** @throws where it is none: only our own drivers may invoke, so this is a mistake of ours */
export function readHttpCall(document: unknown): ReadHttpCall {
  const { target, timeout_ms: timeoutMs, request } = CALL.parse(document);
  return { target, timeoutMs, request };
}
