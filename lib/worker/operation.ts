/**
 * What a participant remembers of one forward operation, as ONE record: what came of it, whether it is revoked, and
 * its undos. Invariant: what admits a forward call and what revokes it are the same record, so of a forward call and
 * an undo that race, one sees the other. Pure functions; a store makes each change atomic.
 */
import { answerOf, type EnvelopeResponse, problemResponse, successResponse } from '../contract/envelope.ts';
import { type Json, type JsonObject, parseJson } from '../contract/json.ts';
import { isFinal } from '../contract/status.ts';

export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** A handler at work or its final answer; neither once it ended without one. */
export interface Run {
  readonly lease: Lease | null;
  readonly answer: EnvelopeResponse | null;
}

/** `uncertain`: an attempt ended without saying. `accepted`: it goes on after the answer. */
export type Effect = 'none' | 'uncertain' | 'accepted' | 'applied' | 'undone';

export interface Operation {
  readonly effect: Effect;
  /** The tombstone: no forward call of this operation may apply any more. */
  readonly revoked: boolean;
  /** Of the forward payload; null while no forward call was seen. */
  readonly fingerprint: string | null;
  readonly forward: Run;
  /** By the undo's operation id: after a refused one there may be another. */
  readonly undos: Readonly<Record<string, Run>>;
  /** What a local handler made; gone when undone. */
  readonly record: JsonObject | null;
}

const IDLE: Run = { lease: null, answer: null };
export const UNSEEN: Operation = {
  effect: 'none',
  revoked: false,
  fingerprint: null,
  forward: IDLE,
  undos: {},
  record: null,
};

/** Either the answer is known, or the handler is to run. */
export type Admission =
  | { readonly run: true }
  | { readonly run: false; readonly next: Operation; readonly answer: EnvelopeResponse };

export function admitForward(operation: Operation, fingerprint: string, now: number): Admission {
  if (operation.revoked && !isSettled(operation)) return known(operation, REVOKED);
  if (operation.fingerprint !== null && operation.fingerprint !== fingerprint) return known(operation, OTHER_PAYLOAD);
  if (operation.forward.answer !== null) return known(operation, operation.forward.answer);
  // Once an undo has begun, a forward run would race it, or apply behind its back.
  const undoing = Object.keys(operation.undos).length > 0;
  return undoing || isAtWork(operation.forward, now) ? known(operation, IN_PROGRESS) : { run: true };
}

/** Over an expired lease lies an attempt that never said how it ended. */
export function startForward(operation: Operation, fingerprint: string, lease: Lease): Operation {
  const effect = operation.forward.lease === null ? operation.effect : 'uncertain';
  return { ...operation, effect, fingerprint, forward: { lease, answer: null } };
}

/** A success stands whoever brings it, even after an undo; anything else counts only from whoever holds the lease. */
export function endForward(operation: Operation, owner: string, answer: EnvelopeResponse): Operation {
  const success = answer.isSuccessful;
  const overtaken = operation.forward.answer !== null || isHeldByAnother(operation.forward, owner);
  if (isSettled(operation) || (overtaken && !success)) return operation;
  if (success) return { ...operation, effect: effectOf(answer), forward: { lease: null, answer } };
  const effect = mayHaveApplied(answer) ? 'uncertain' : operation.effect;
  return { ...operation, effect, forward: { lease: null, answer: finalOrNone(answer) } };
}

export function admitUndo(operation: Operation, undoId: string, now: number): Admission {
  const run = undoRunOf(operation, undoId);
  if (run.answer !== null) return known(operation, run.answer);
  const busy = isAtWork(operation.forward, now) || Object.values(operation.undos).some((undo) => isAtWork(undo, now));
  if (busy) return known(operation, IN_PROGRESS);
  if (hasEffect(operation)) return { run: true };
  return known(endUndo(operation, undoId, '', NOTHING_TO_UNDO), NOTHING_TO_UNDO);
}

export function startUndo(operation: Operation, undoId: string, lease: Lease): Operation {
  return withUndo(operation, undoId, { lease, answer: null });
}

/** Finding nothing is as good as having undone it; a refusal leaves the effect, and the operation, as they are. */
export function endUndo(operation: Operation, undoId: string, owner: string, answer: EnvelopeResponse): Operation {
  const undone = answer.statusCode === 'not-found' || (answer.isSuccessful && answer.statusCode !== 'accepted');
  const run = undoRunOf(operation, undoId);
  if (!undone && (run.answer !== null || isHeldByAnother(run, owner))) return operation;
  const ended = withUndo(operation, undoId, { lease: null, answer: finalOrNone(answer) });
  if (!undone) return ended;
  const forward = { ...operation.forward, lease: null };
  return { ...ended, effect: operation.effect === 'none' ? 'none' : 'undone', revoked: true, forward, record: null };
}

export interface Finding {
  readonly state: 'applied' | 'not_applied' | 'running' | 'unknown';
  readonly output?: Json;
  readonly fenced?: boolean;
}

/** A fence is put up only where the operation is known not to have applied. */
export function inquire(operation: Operation, fence: boolean, now: number): { next: Operation; finding: Finding } {
  if (isAtWork(operation.forward, now) || operation.effect === 'accepted') {
    return { next: operation, finding: { state: 'running' } };
  }
  if (operation.effect === 'applied') {
    const output = parseJson(operation.forward.answer?.body ?? '');
    return { next: operation, finding: { state: 'applied', output: output.ok ? output.value : null } };
  }
  if (hasEffect(operation)) return { next: operation, finding: { state: 'unknown' } };
  const next = fence ? { ...operation, revoked: true } : operation;
  return { next, finding: next.revoked ? { state: 'not_applied', fenced: true } : { state: 'not_applied' } };
}

const REVOKED = problemResponse('conflict', {
  code: 'CONTRACT_OPERATION_REVOKED',
  applied: false,
  detail: 'this operation was undone or fenced before the call arrived; it can no longer apply',
});
const OTHER_PAYLOAD = problemResponse('conflict', {
  code: 'CONTRACT_CONFLICT',
  applied: false,
  detail: 'this operation id was used with another payload; a different operation needs an id of its own',
});
/** Whether it applies is still open, so it does not say. */
const IN_PROGRESS = problemResponse('service-unavailable', {
  code: 'EXT_IN_PROGRESS',
  detail: 'this operation is still running or being undone; ask again later under the same id',
});
const NOTHING_TO_UNDO = successResponse('ok', { undone: true, found: false });

function known(next: Operation, answer: EnvelopeResponse): Admission {
  return { run: false, next, answer };
}

function isAtWork(run: Run, now: number): boolean {
  return run.lease !== null && run.lease.until > now;
}

function isHeldByAnother(run: Run, owner: string): boolean {
  return run.lease !== null && run.lease.owner !== owner;
}

/** An expired lease counts: its holder may have got as far as the effect. */
function hasEffect({ effect, forward }: Operation): boolean {
  return (effect !== 'none' && effect !== 'undone') || forward.lease !== null;
}

function isSettled({ effect }: Operation): boolean {
  return effect === 'applied' || effect === 'accepted';
}

function effectOf(answer: EnvelopeResponse): Effect {
  return answer.statusCode === 'accepted' ? 'accepted' : 'applied';
}

function finalOrNone(answer: EnvelopeResponse): EnvelopeResponse | null {
  return answer.isSuccessful || isFinal(answer.statusCode) ? answer : null;
}

export function undoRunOf(operation: Operation, undoId: string): Run {
  return (Object.hasOwn(operation.undos, undoId) ? operation.undos[undoId] : undefined) ?? IDLE;
}

function withUndo(operation: Operation, undoId: string, run: Run): Operation {
  return { ...operation, undos: { ...operation.undos, [undoId]: run } };
}

/** The same reading as the orchestrator's, so that both believe the same. */
function mayHaveApplied(response: EnvelopeResponse): boolean {
  const answer = answerOf(response);
  return answer.kind === 'failure' && answer.mayHaveApplied;
}
