/**
 * Steps as stored: short names, and only what differs from a step that has not begun. A value is stored inline, or
 * as the hash under which it is stored apart.
 */
import type { EpochMs } from '../core/ids.ts';
import type { CallbackState, Lease, Received, Settlement, StepState, UndoState, Value } from '../core/job.ts';
import type { Json } from '../core/json.ts';
import type { StepStatus } from '../core/states.ts';
import { decodeChildren, encodeChildren, type StoredChildren } from './stored-children.ts';

export type StoredValue = { readonly data: Json } | { readonly hash: string };

export function encodeValue(value: Value): StoredValue {
  if (value.hash !== null) return { hash: value.hash };
  if (value.data === undefined) throw new Error('a value has neither data nor a hash: store it apart before the job');
  return { data: value.data };
}

export function decodeValue(stored: StoredValue): Value {
  return 'hash' in stored ? { data: undefined, hash: stored.hash } : { data: stored.data, hash: null };
}

type StoredLease = readonly [owner: string, until: EpochMs];

/** Members that are undefined are not stored. */
export interface StoredStep {
  readonly name: string;
  readonly status: StepStatus;
  readonly round?: number | undefined;
  readonly tries?: number | undefined;
  /** Tries before an operator resumed. */
  readonly past?: number | undefined;
  readonly queries?: number | undefined;
  /** 1: may have applied. */
  readonly may?: 1 | undefined;
  /** 1: a tombstone stands. */
  readonly fenced?: 1 | undefined;
  readonly lease?: StoredLease | undefined;
  readonly start?: EpochMs | undefined;
  readonly last?: EpochMs | undefined;
  readonly done?: EpochMs | undefined;
  readonly next?: EpochMs | undefined;
  readonly due?: EpochMs | undefined;
  readonly settle?: Settlement | undefined;
  readonly err?: string | undefined;
  readonly msg?: string | undefined;
  readonly out?: StoredValue | undefined;
  readonly to?: string | undefined;
  readonly cb?: StoredCallback | undefined;
  readonly got?: StoredReceived | undefined;
  readonly park?: string | undefined;
  /** 1: the newest call was a probe. */
  readonly probe?: 1 | undefined;
  readonly undo?: StoredUndo | undefined;
  readonly kids?: StoredChildren | undefined;
}

/** A fourth member: used. */
type StoredCallback = readonly [salt: string, attempt: number, expiresAt: EpochMs, used?: 1];

interface StoredReceived {
  readonly key: string;
  readonly print: string;
  readonly at: EpochMs;
  readonly value?: StoredValue | undefined;
}

interface StoredUndo {
  readonly gen?: number | undefined;
  readonly topic: string;
  readonly tries?: number | undefined;
  readonly past?: number | undefined;
  readonly lease?: StoredLease | undefined;
  readonly start: EpochMs;
  readonly idle?: number | undefined;
  readonly next?: EpochMs | undefined;
  readonly until?: EpochMs | undefined;
  readonly done?: EpochMs | undefined;
  readonly out?: StoredValue | undefined;
  readonly err?: string | undefined;
  /** 1: definitively refused. */
  readonly no?: 1 | undefined;
}

export function encodeStep(step: StepState): StoredStep {
  return {
    name: step.name,
    status: step.status,
    round: step.round || undefined,
    tries: step.attempts || undefined,
    past: step.attemptsBefore || undefined,
    queries: step.queries || undefined,
    may: step.mayHaveApplied ? 1 : undefined,
    fenced: step.fenced ? 1 : undefined,
    lease: step.lease === null ? undefined : encodeLease(step.lease),
    start: step.startedAt ?? undefined,
    last: step.lastCallAt ?? undefined,
    done: step.completedAt ?? undefined,
    next: step.nextAttemptAt ?? undefined,
    due: step.deadlineAt ?? undefined,
    settle: step.settleBy ?? undefined,
    err: step.errorCode ?? undefined,
    msg: step.errorMessage ?? undefined,
    out: step.output === null ? undefined : encodeValue(step.output),
    to: step.target ?? undefined,
    cb: step.callback === null ? undefined : encodeCallback(step.callback),
    got: step.received === null ? undefined : encodeReceived(step.received),
    park: step.parkedOn ?? undefined,
    probe: step.probing ? 1 : undefined,
    undo: step.undo === null ? undefined : encodeUndo(step.undo),
    kids: step.children === null ? undefined : encodeChildren(step.children),
  };
}

export function decodeStep(stored: StoredStep): StepState {
  return {
    name: stored.name,
    status: stored.status,
    round: stored.round ?? 0,
    attempts: stored.tries ?? 0,
    attemptsBefore: stored.past ?? 0,
    queries: stored.queries ?? 0,
    mayHaveApplied: stored.may === 1,
    fenced: stored.fenced === 1,
    lease: stored.lease === undefined ? null : decodeLease(stored.lease),
    startedAt: stored.start ?? null,
    lastCallAt: stored.last ?? null,
    completedAt: stored.done ?? null,
    nextAttemptAt: stored.next ?? null,
    deadlineAt: stored.due ?? null,
    settleBy: stored.settle ?? null,
    errorCode: stored.err ?? null,
    errorMessage: stored.msg ?? null,
    output: stored.out === undefined ? null : decodeValue(stored.out),
    target: stored.to ?? null,
    callback: stored.cb === undefined ? null : decodeCallback(stored.cb),
    received: stored.got === undefined ? null : decodeReceived(stored.got),
    parkedOn: stored.park ?? null,
    probing: stored.probe === 1,
    undo: stored.undo === undefined ? null : decodeUndo(stored.undo),
    children: stored.kids === undefined ? null : decodeChildren(stored.kids),
  };
}

function encodeCallback({ salt, attempt, expiresAt, used }: CallbackState): StoredCallback {
  return used ? [salt, attempt, expiresAt, 1] : [salt, attempt, expiresAt];
}

function decodeCallback([salt, attempt, expiresAt, used]: StoredCallback): CallbackState {
  return { salt, attempt, expiresAt, used: used === 1 };
}

function encodeReceived({ value, ...received }: Received): StoredReceived {
  return { ...received, value: value === null ? undefined : encodeValue(value) };
}

function decodeReceived({ value, ...received }: StoredReceived): Received {
  return { ...received, value: value === undefined ? null : decodeValue(value) };
}

function encodeUndo(undo: UndoState): StoredUndo {
  return {
    gen: undo.generation || undefined,
    topic: undo.topic,
    tries: undo.attempts || undefined,
    past: undo.attemptsBefore || undefined,
    lease: undo.lease === null ? undefined : encodeLease(undo.lease),
    start: undo.startedAt,
    idle: undo.idleMs || undefined,
    next: undo.nextAttemptAt ?? undefined,
    until: undo.promisedUntil ?? undefined,
    done: undo.compensatedAt ?? undefined,
    out: undo.result === null ? undefined : encodeValue(undo.result),
    err: undo.errorCode ?? undefined,
    no: undo.refused ? 1 : undefined,
  };
}

function decodeUndo(stored: StoredUndo): UndoState {
  return {
    generation: stored.gen ?? 0,
    topic: stored.topic,
    attempts: stored.tries ?? 0,
    attemptsBefore: stored.past ?? 0,
    lease: stored.lease === undefined ? null : decodeLease(stored.lease),
    startedAt: stored.start,
    idleMs: stored.idle ?? 0,
    nextAttemptAt: stored.next ?? null,
    promisedUntil: stored.until ?? null,
    compensatedAt: stored.done ?? null,
    result: stored.out === undefined ? null : decodeValue(stored.out),
    errorCode: stored.err ?? null,
    refused: stored.no === 1,
  };
}

function encodeLease(lease: Lease): StoredLease {
  return [lease.owner, lease.until];
}

function decodeLease([owner, until]: StoredLease): Lease {
  return { owner, until };
}
