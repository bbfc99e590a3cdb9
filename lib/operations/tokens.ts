/**
 * Callback tokens as text: what they are good for, and a signature over it. They are made when a call goes out and never
 * stored; who reads the store cannot make one, who has one can read nothing out of it that it may not know.
 * Invariant: exactly one text says one thing. Whatever differs from it in a single bit is no token.
 */
import type { TokenRef } from '../core/events.ts';
import { isJobId, type JobId, STEP_NAME } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { sha256Hex } from '../core/json.ts';
import type { Signer } from '../ports.ts';

const PREFIX = 'dct1';
/** Twice what the longest one needs: longer texts are not even looked at. */
const CHARACTERS_MAX = 600;
/** 128 bits. */
const DIGEST_CHARACTERS = 32;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export interface Token {
  readonly jobId: JobId;
  readonly ref: TokenRef;
  /** Of the caller whose job it is. */
  readonly caller: string;
}

export async function tokenText(signer: Signer, job: Job, ref: TokenRef): Promise<string> {
  const said = encode({ jobId: job.jobId, ref, caller: callerDigest(job.callerId) });
  return `${said}.${Buffer.from(await signer.sign(said)).toString('base64url')}`;
}

/** What a text says, when the signature is ours; null when it is no token. */
export async function readToken(signer: Signer, text: string): Promise<Token | null> {
  if (text.length > CHARACTERS_MAX) return null;
  const [prefix, body = '', signature = '', ...rest] = text.split('.');
  if (prefix !== PREFIX || rest.length > 0 || !BASE64URL.test(body) || !BASE64URL.test(signature)) return null;
  const mac = Buffer.from(signature, 'base64url');
  // The last character of base64 has bits that say nothing: only one spelling counts.
  if (mac.toString('base64url') !== signature) return null;
  const token = decode(body);
  if (token === null || encode(token) !== `${prefix}.${body}`) return null;
  return (await signer.verify(`${prefix}.${body}`, mac)) ? token : null;
}

/** Whether the token was made for this job, and for a job of this caller. */
export function belongsTo(token: Token, job: Job): boolean {
  return token.jobId === job.jobId && token.caller === callerDigest(job.callerId);
}

function callerDigest(callerId: string): string {
  return sha256Hex(`caller\n${callerId}`).slice(0, DIGEST_CHARACTERS);
}

function encode({ jobId, ref, caller }: Token): string {
  const { step, round, attempt, expiresAt, salt } = ref;
  const said = JSON.stringify([jobId, step, round, attempt, expiresAt, salt, caller]);
  return `${PREFIX}.${Buffer.from(said, 'utf8').toString('base64url')}`;
}

function decode(body: string): Token | null {
  let said: unknown;
  try {
    said = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(said) || said.length !== 7) return null;
  const [jobId, step, round, attempt, expiresAt, salt, caller]: unknown[] = said;
  const texts = typeof jobId === 'string' && typeof step === 'string' && typeof caller === 'string';
  if (!texts || typeof salt !== 'string' || !isJobId(jobId) || !STEP_NAME.test(step)) return null;
  if (!isCount(round) || !isCount(attempt) || !isCount(expiresAt)) return null;
  return { jobId, caller, ref: { step, round, attempt, expiresAt, salt } };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
