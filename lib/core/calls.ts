/**
 * From a step to the call that a driver makes for it. The lease goes into the same write: whoever finds it later knows
 * that a call may be out, and until when.
 */
import { tokenFor, tokenRefOf } from './callbacks.ts';
import { type Draft, logError, mappingContext, moveStep, setStep, stepPlan } from './draft.ts';
import type { Call } from './events.ts';
import { giveUpUndo } from './fold-undo.ts';
import type { EpochMs } from './ids.ts';
import {
  dataOf,
  forwardOperationId,
  type Lease,
  type StepState,
  type UndoState,
  undoneOperationId,
  undoOperationId,
} from './job.ts';
import { byteLength, cutText, type Json } from './json.ts';
import { LIMITS } from './limits.ts';
import { hasUndo, type StepPlan, topicOf } from './plan.ts';
import type { OpenWay } from './routing.ts';

/** Whether the driver at hand may start a call that takes this long. */
export function fits(draft: Draft, kind: 'forward' | 'recovery', timeoutMs: number): boolean {
  const { driver } = draft;
  return driver !== null && driver.kind === kind && driver.remainingMs > timeoutMs + LIMITS.callMarginMs;
}

type ForwardRequest =
  | { readonly ok: true; readonly body: Json }
  | { readonly ok: false; readonly code: string; readonly message: string };

function forwardRequest(draft: Draft, plan: StepPlan): ForwardRequest {
  const topic = topicOf(plan);
  if (draft.context.rules.route(topic) === undefined) {
    return { ok: false, code: 'ORCH_UNROUTED_TOPIC', message: `topic ${topic} has no route` };
  }
  const mapped = bodyOf(draft, plan);
  if (!mapped.ok) return { ok: false, code: 'ORCH_MAPPING_FAILED', message: mapped.message };
  return { ok: true, body: mapped.body };
}

/** A definition that cannot say what to send, or where to, fails the step; answers whether it did. */
export function refuseUncallable(draft: Draft, step: StepState): boolean {
  const request = forwardRequest(draft, stepPlan(draft, step));
  if (request.ok) return false;
  // Only a first call should meet this: mappers are pure, and routes are checked when the job is accepted.
  const on = step.status === 'pending' ? 'not_callable' : 'budget_spent';
  const { code: errorCode, message } = request;
  logError(draft, { step: step.name, attempt: step.attempts, errorCode, message, nextAttemptAt: null });
  moveStep(draft, step, on, { errorCode, errorMessage: message, nextAttemptAt: null, settleBy: null });
  return true;
}

/** Calls a step forward, first time or again. */
export function callForward(
  draft: Draft,
  step: StepState,
  way: OpenWay,
  on: 'called' | 'heartbeat_lost' = 'called',
): void {
  const plan = stepPlan(draft, step);
  const request = forwardRequest(draft, plan);
  if (!request.ok) throw new Error(`step ${step.name} was called and cannot be: ${request.message}`);
  const attempts = step.attempts + 1;
  const lease = leaseFor(draft, plan.timeoutMs);
  const callback = tokenFor(draft, step, plan, attempts);
  const next = moveStep(draft, step, on, {
    attempts,
    // What only asks whether the dependency is back is not an attempt that counts.
    attemptsBefore: step.attemptsBefore + (way.probe ? 1 : 0),
    probing: way.probe,
    lease,
    startedAt: step.startedAt ?? draft.context.now,
    lastCallAt: step.startedAt === null ? null : draft.context.now,
    nextAttemptAt: null,
    settleBy: null,
    target: way.target,
    deadlineAt: null,
    callback,
  });
  const about = { direction: 'do', topic: topicOf(plan), timeoutMs: plan.timeoutMs, fence: false } as const;
  // A recovery job's step is the undo of another job's operation, and says so as any undo does.
  const undone = undoneOperationId(draft.job, step.name);
  const { target } = way;
  pushCall(draft, next, lease, {
    ...about,
    target,
    attempt: attempts,
    body: request.body,
    about: undone,
    token: tokenRefOf(next, callback),
  });
}

/** Asks what became of an operation. While turning back it also asks to keep it from ever applying. */
export function callQuery(draft: Draft, step: StepState, topic: string, fence: boolean, way: OpenWay): void {
  const plan = stepPlan(draft, step);
  const mapped = bodyOf(draft, plan);
  const queries = step.queries + 1;
  const lease = leaseFor(draft, plan.timeoutMs);
  const next = moveStep(draft, step, 'queried', { queries, lease, nextAttemptAt: null, settleBy: null });
  const body = { input: mapped.ok ? mapped.body : null };
  const about = forwardOperationId(draft.job, next);
  pushCall(draft, next, lease, {
    direction: 'query',
    topic,
    target: way.target,
    timeoutMs: plan.timeoutMs,
    fence,
    attempt: queries,
    body,
    about,
    token: null,
  });
}

/** Starts or repeats an undo, under one stable id for each generation. */
export function callUndo(draft: Draft, step: StepState, { topic, body }: UndoCall, way: OpenWay): void {
  const plan = stepPlan(draft, step);
  if (!hasUndo(plan)) throw new Error(`step ${step.name} has nothing to undo with`);
  const lease = leaseFor(draft, plan.undo.timeoutMs);
  const before = undoOf(draft, step);
  const attempt = before.attempts + 1;
  const attemptsBefore = before.attemptsBefore + (way.probe ? 1 : 0);
  const next = beginUndo(draft, step, { ...before, topic, attempts: attempt, attemptsBefore, lease });
  const about = { about: forwardOperationId(draft.job, next), timeoutMs: plan.undo.timeoutMs, fence: false } as const;
  pushCall(draft, next, lease, { ...about, target: way.target, direction: 'undo', topic, attempt, body, token: null });
}

/** A job of its own takes children back; a driver makes it, and its end is told like a child's. */
export function beginUndoOfChildren(draft: Draft, step: StepState): void {
  if (step.status === 'compensating') return;
  const before = undoOf(draft, step);
  const begun = beginUndo(draft, step, { ...before, topic: step.name, attempts: before.attempts + 1 });
  if (begun.undo !== null) setStep(draft, begun, { undo: { ...begun.undo, nextAttemptAt: draft.context.now } });
}

/** An undo that cannot be called: it has failed, without a call. */
export function refuseUndo(draft: Draft, step: StepState, code: string, message: string): void {
  giveUpUndo(draft, beginUndo(draft, step, undoOf(draft, step)), code, message);
}

function undoOf(draft: Draft, step: StepState): UndoState {
  const plan = stepPlan(draft, step);
  const topic = hasUndo(plan) ? (plan.undo.topics[0] ?? '') : '';
  return (
    step.undo ?? {
      generation: 0,
      topic,
      attempts: 0,
      attemptsBefore: 0,
      lease: null,
      startedAt: draft.context.now,
      idleMs: 0,
      nextAttemptAt: null,
      promisedUntil: null,
      compensatedAt: null,
      result: null,
      errorCode: null,
      refused: false,
    }
  );
}

function beginUndo(draft: Draft, step: StepState, undo: UndoState): StepState {
  const on = step.status === 'compensating' ? 'undo_retried' : 'undo_called';
  const idleMs = undo.idleMs + idleSince(undo.nextAttemptAt, draft.context.now);
  const begun = { ...undo, idleMs, nextAttemptAt: null, promisedUntil: null, refused: false };
  return moveStep(draft, step, on, { undo: begun, nextAttemptAt: null, settleBy: null });
}

interface UndoCall {
  readonly topic: string;
  readonly body: Json;
}

/** How long what was due has waited for somebody to come; a message that was lost or late is no outage. */
export function idleSince(due: EpochMs | null, now: EpochMs): number {
  return due === null || now - due <= LIMITS.outageMsMin ? 0 : now - due;
}

type UndoRequest =
  | ({ readonly ok: true } & UndoCall)
  | { readonly ok: false; readonly code: string; readonly message: string };

export function undoRequest(draft: Draft, step: StepState, plan: StepPlan): UndoRequest {
  if (!hasUndo(plan)) return { ok: false, code: 'ORCH_MAPPING_FAILED', message: 'nothing to undo with' };
  const output = step.output === null ? null : dataOf(step.output);
  const mapped = bodyOf(draft, plan);
  if (!mapped.ok) return { ok: false, code: 'ORCH_MAPPING_FAILED', message: mapped.message };
  try {
    const topic = plan.undo.choose(output);
    if (draft.context.rules.route(topic) === undefined) {
      return { ok: false, code: 'ORCH_UNROUTED_TOPIC', message: `undo topic ${topic} has no route` };
    }
    const body = plan.undo.map === null ? bothOf(mapped.body, output) : plan.undo.map(mapped.body, output);
    return { ok: true, topic, body };
  } catch (error) {
    return { ok: false, code: 'ORCH_MAPPING_FAILED', message: messageOf(error) };
  }
}

type Mapped = { readonly ok: true; readonly body: Json } | { readonly ok: false; readonly message: string };

/**
 * What an undo is sent. Where both do not fit into one call, the output is left out as if it were not known: the input
 * went out with the forward call, so it fits by itself, and an undo that can be called is worth more.
 */
function bothOf(input: Json, output: Json | null): Json {
  const both = { input, output };
  return carriedBytes(both) <= LIMITS.callBytesMax ? both : { input, output: null };
}

/** As text inside an envelope: every quote in it has a backslash before it then. */
function carriedBytes(body: Json): number {
  const text = JSON.stringify(body);
  const bytes = byteLength(text);
  return 2 * bytes <= LIMITS.callBytesMax ? bytes : byteLength(JSON.stringify(text));
}

/** What the step is or was sent: mappers are pure, so every attempt and the undo see the same. */
function bodyOf(draft: Draft, plan: StepPlan): Mapped {
  try {
    return { ok: true, body: plan.map(mappingContext(draft, plan.stage)) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** What a definition's own code threw: it may quote anything, at any length. */
export function messageOf(error: unknown): string {
  return cutText(error instanceof Error ? error.message : String(error), LIMITS.errorMessageCharactersMax);
}

function leaseFor(draft: Draft, timeoutMs: number): Lease {
  if (draft.driver === null) throw new Error('only a driver makes calls');
  return { owner: draft.driver.owner, until: draft.context.now + timeoutMs + LIMITS.leaseMarginMs };
}

type Particulars = Pick<
  Call,
  'direction' | 'topic' | 'target' | 'timeoutMs' | 'fence' | 'attempt' | 'body' | 'about' | 'token'
>;

function pushCall(draft: Draft, step: StepState, lease: Lease, call: Particulars): void {
  const operationId =
    call.direction === 'undo' ? undoOperationId(draft.job, step) : forwardOperationId(draft.job, step);
  draft.calls.push({
    ...call,
    step: step.name,
    operationId,
    lastStartAt: lease.until - call.timeoutMs,
    deadlineAt: draft.context.now + call.timeoutMs,
  });
}
