/**
 * Identities. A job's id is derived from who asks, for what, under which key: one conditional write
 * creates and deduplicates. An operation's id names one logical operation at one participant.
 * Invariant: same logical operation, same id, over retries, crashes and redelivery; different ones never share.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './json.ts';

declare const brand: unique symbol;
export type JobId = string & { readonly [brand]: 'JobId' };
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;
/** What holds calls back: `dependency:<target>` or `pause:<id>`. */
export type GateId = string;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 26 base32 characters carry 130 of the 256 bits: collisions stay out of reach, names stay readable. */
const ID_CHARACTERS = 26;

/** 80 bits: two callers who share a lane would only share their turns. */
const LANE_CHARACTERS = 16;
/** People type them, and there are as many as things to pause. */
const PAUSE_CHARACTERS = 16;

export const STEP_NAME = /^[a-z][a-z0-9-]{0,39}$/;
/** Read as a part of an operation id these mean something else: an undo, a round or a rerun, a child. */
export const RESERVED_STEP_NAME = /^(undo|[rc][0-9]+)$/;
/** A derived id, and for another run of a failed job its number. */
const JOB_ID = /^j[a-z2-7]{26}(\.r[1-9][0-9]{0,3})?$/;

export function isJobId(text: string): text is JobId {
  return JOB_ID.test(text);
}

export function jobIdOf(callerId: string, workflowType: string, idempotencyKey: string): JobId {
  return `j${digest32([callerId, workflowType, idempotencyKey])}` as JobId;
}

/** Another run of a job that failed, counted from 1. */
export function rerunIdOf(jobId: JobId, run: number): JobId {
  return `${jobId}.r${run}` as JobId;
}

/** One dead-letter record a job, so its id is the job's with a letter before it. */
export function deadLetterIdOf(jobId: JobId): string {
  return `d${jobId}`;
}

/** One pause for each scope and value. */
export function pauseIdOf(scope: string, value: string): string {
  return `p${digest32([scope, value]).slice(0, PAUSE_CHARACTERS)}`;
}

export const PAUSE_ID = /^p[a-z2-7]{16}$/;

/** The key of a submit that came without one: the intent and the start of its window. */
export function derivedKey(intentHash: string, windowStart: EpochMs): string {
  return `auto:${intentHash}:${windowStart}`;
}

export function intentHash(callerId: string, workflowType: string, input: Json): string {
  return digest32([callerId, workflowType, input]);
}

/** `round` > 0 names a new operation after a definitive refusal or in a new round of the saga. */
export function operationIdOf(jobId: JobId, step: string, round: number): string {
  return round === 0 ? `${jobId}.${step}` : `${jobId}.${step}.r${round}`;
}

/** `generation` > 0 names a new undo after the earlier one was definitively refused. */
export function undoOperationIdOf(operationId: string, generation: number): string {
  const undo = `${operationId}.undo`;
  return generation === 0 ? undo : `${undo}.${generation + 1}`;
}

/** Whose turn it is where work waits: one lane a caller, named without saying who that is. */
export function laneOf(callerId: string): string {
  return digest32([callerId]).slice(0, LANE_CHARACTERS);
}

/** A child's id follows from whose it is and its place there: made twice, it is made once. */
export function childIdOf(parent: JobId, step: string, round: number, index: number): JobId {
  return `j${digest32([parent, step, round, index])}` as JobId;
}

/** The job that takes back all children of a round of a step, for the n-th time. */
export function undoJobIdOf(parent: JobId, step: string, round: number, attempt: number): JobId {
  return `j${digest32([parent, step, round, 'undo', attempt])}` as JobId;
}

/**
 * The operation of a child that is one call. Rounds of the parent's step and of the child's own come in one number,
 * each pair in a number of its own (Cantor's), so that no two operations share a name.
 */
export function childOperationIdOf(parent: JobId, step: string, index: number, of: number, own: number): string {
  const round = ((of + own) * (of + own + 1)) / 2 + own;
  return operationIdOf(parent, `${step}.c${index}`, round);
}

/** The other way: of a pair's number, what the parent's step has of it. */
export function parentRoundOf(round: number): number {
  const sum = Math.floor((Math.sqrt(8 * round + 1) - 1) / 2);
  return sum - (round - (sum * (sum + 1)) / 2);
}

function digest32(parts: Json): string {
  const bytes = createHash('sha256').update(canonicalJson(parts), 'utf8').digest();
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < ID_CHARACTERS) {
      bits -= 5;
      text += BASE32[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
