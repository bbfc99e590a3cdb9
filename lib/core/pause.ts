/**
 * A pause: what people hold back on purpose, for whom, and how it is let go again. One record for each scope and value,
 * changed under its revision, so pausing twice is pausing once. While it is released it holds nothing more: what had
 * waited goes on in turns, and too many failures among those jobs make it a pause again.
 */
import type { Passage } from './gates.ts';
import { type EpochMs, type GateId, pauseIdOf } from './ids.ts';
import { LIMITS } from './limits.ts';

export const PAUSE_SCOPES = ['topic', 'dependency', 'workflow', 'caller'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

export type PauseStatus = 'active' | 'releasing' | 'released';

/** What happened to it: by a person, but for `stopped` and `released`. */
export interface PauseEntry {
  readonly seq: number;
  readonly what: 'paused' | 'release_started' | 'stopped' | 'released';
  readonly at: EpochMs;
  readonly actor: string;
  readonly reason: string;
}

/** How the jobs that waited are let go. */
export interface Release {
  readonly ratePerSecond: number;
  readonly startedAt: EpochMs;
  /** Before this time every slot of the rate is taken. */
  readonly slotsUntil: EpochMs;
  /** Jobs let go so far, and calls of theirs that failed. */
  readonly released: number;
  readonly failures: number;
}

export interface Pause {
  readonly id: string;
  readonly scope: PauseScope;
  readonly value: string;
  readonly revision: number;
  readonly status: PauseStatus;
  readonly since: EpochMs;
  readonly by: string;
  readonly reason: string;
  /** The running release, or the last one. */
  readonly release: Release | null;
  /** Why a release ended early; null: it did not. */
  readonly stoppedReason: string | null;
  /** The newest, oldest first. */
  readonly log: readonly PauseEntry[];
  /** Everything up to here is in the audit; -1 before the first time. */
  readonly toldSeq: number;
  /** Of the write that made it: tells one whose answer was lost from somebody else's. */
  readonly writeId: string;
}

export interface PauseBy {
  readonly actor: string;
  readonly reason: string;
}

const LOG_MAX = 20;
const PAUSE = 'pause:';

export const pauseGate = (id: string): GateId => `${PAUSE}${id}`;

/** Pauses what was not paused, or pauses it again; null when it is paused already. */
export function paused(
  held: Pause | null,
  { scope, value }: Pick<Pause, 'scope' | 'value'>,
  by: PauseBy,
  now: EpochMs,
): Pause | null {
  if (held?.status === 'active') return null;
  const before = held ?? neverPaused(scope, value);
  const next = {
    ...before,
    status: 'active',
    since: now,
    by: by.actor,
    reason: by.reason,
    stoppedReason: null,
  } as const;
  return logged(next, 'paused', by, now);
}

function neverPaused(scope: PauseScope, value: string): Pause {
  const id = pauseIdOf(scope, value);
  const rest = { release: null, stoppedReason: null, log: [], toldSeq: -1, writeId: '' };
  return { id, scope, value, revision: 0, status: 'active', since: 0, by: '', reason: '', ...rest };
}

/** Begins to let go, or changes how fast; null when nothing is paused. */
export function releaseStarted(held: Pause, ratePerSecond: number, by: PauseBy, now: EpochMs): Pause | null {
  if (held.status === 'released') return null;
  const fresh = { startedAt: now, slotsUntil: now, released: 0, failures: 0 };
  const going = held.status === 'releasing' ? (held.release ?? fresh) : fresh;
  // The slots taken ahead at the earlier rate stay taken: they are used.
  const release = { ...going, ratePerSecond };
  return logged({ ...held, status: 'releasing', release, stoppedReason: null }, 'release_started', by, now);
}

export interface Slots {
  readonly at: EpochMs;
  readonly count: number;
}

/** Takes as many turns as are free before the horizon, at most `wanted`; null when none is. */
export function withTurns(
  held: Pause,
  wanted: number,
  horizonMs: number,
  now: EpochMs,
): { readonly pause: Pause; readonly slots: Slots } | null {
  const { release } = held;
  if (held.status !== 'releasing' || release === null) return null;
  const at = Math.max(now, release.slotsUntil);
  const room = Math.floor(((now + horizonMs - at) * release.ratePerSecond) / 1_000);
  const count = Math.min(wanted, room);
  if (count <= 0) return null;
  const slotsUntil = at + Math.ceil((count * 1_000) / release.ratePerSecond);
  const next = { ...release, slotsUntil, released: release.released + count };
  return { pause: { ...held, revision: held.revision + 1, release: next }, slots: { at, count } };
}

/** A released job's call failed; too many of them, and it is a pause again. null while nothing is being released. */
export function failureCounted(held: Pause, actor: string, now: EpochMs): Pause | null {
  const { release } = held;
  if (held.status !== 'releasing' || release === null) return null;
  const failures = release.failures + 1;
  const counted = { ...held, release: { ...release, failures } };
  if (!isTooMany(failures, release.released)) return { ...counted, revision: held.revision + 1 };
  const reason = `${failures} calls of ${release.released} released jobs failed`;
  return logged({ ...counted, status: 'active', since: now, stoppedReason: reason }, 'stopped', { actor, reason }, now);
}

function isTooMany(failures: number, released: number): boolean {
  return failures >= LIMITS.releaseFailuresMin && failures >= released * LIMITS.releaseFailureRateMax;
}

/** Nothing waits any more, and everybody has heard of the release: it is over. null before that. */
export function releaseEnded(held: Pause, actor: string, now: EpochMs): Pause | null {
  const { release } = held;
  if (held.status !== 'releasing' || release === null) return null;
  if (now < release.startedAt + LIMITS.releaseHeardMs || now < release.slotsUntil) return null;
  return logged(
    { ...held, status: 'released' },
    'released',
    { actor, reason: `${release.released} jobs released` },
    now,
  );
}

/** What the audit does not hold yet, oldest first. */
export function untoldOf({ log, toldSeq }: Pause): readonly PauseEntry[] {
  return log.filter(({ seq }) => seq > toldSeq);
}

export function pauseTold(held: Pause, upTo: number): Pause | null {
  return held.toldSeq >= upTo ? null : { ...held, revision: held.revision + 1, toldSeq: upTo };
}

function logged(next: Pause, what: PauseEntry['what'], by: PauseBy, at: EpochMs): Pause {
  const seq = (next.log.at(-1)?.seq ?? -1) + 1;
  return { ...next, revision: next.revision + 1, log: [...next.log, { seq, what, at, ...by }].slice(-LOG_MAX) };
}

/**
 * Whether this pause is about that call. A paused topic or dependency is left alone altogether: it gets no undo and no
 * question either. A paused workflow or caller only goes no further: what is being taken back is taken back.
 */
export function covers(
  { scope, value }: Pick<Pause, 'scope' | 'value'>,
  { topic, target, direction, job }: Passage,
): boolean {
  const goesOn = direction === 'do' && job.lineage.undoes === undefined;
  switch (scope) {
    case 'topic':
      return topic === value;
    case 'dependency':
      return target === value;
    case 'workflow':
      return goesOn && job.workflowType === value;
    case 'caller':
      return goesOn && job.callerId === value;
  }
}

/** What holds this call, as far as people are concerned; null: nothing. */
export function pausedBy(pauses: Iterable<Pause>, passage: Passage): GateId | null {
  for (const pause of pauses) if (pause.status === 'active' && covers(pause, passage)) return pauseGate(pause.id);
  return null;
}
