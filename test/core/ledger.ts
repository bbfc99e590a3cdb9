/**
 * What a witness outside would know of one job: every call that was made and every answer that was handed in. Kept
 * apart from the job, so that what the job claims can be held against it.
 */
import type { Call, JobEvent, Result } from '../../lib/core/events.ts';
import { forwardOperationId, type Job, stepOf, undoOperationId } from '../../lib/core/job.ts';
import { canonicalJson, isObject } from '../../lib/core/json.ts';

/** One forward operation: a step in one round. */
export interface Operation {
  readonly id: string;
  readonly step: string;
  readonly round: number;
  readonly attempts: Set<number>;
  /** What it was called with first: every attempt is sent the same. */
  readonly body: string;
  /** The first word about each attempt: a doubt stays one. */
  readonly firstWord: Map<number, 'clear' | 'doubt'>;
  /** Somebody said that it applied. */
  applied: boolean;
  fenced: boolean;
  /** A named person told its end. */
  resolved: boolean;
  /** By generation, in the order in which they were called. */
  readonly undos: Map<number, Undo>;
}

interface Undo {
  readonly id: string;
  readonly attempts: Set<number>;
  confirmed: boolean;
}

export interface Witness {
  readonly operations: Map<string, Operation>;
  cancelAsked: boolean;
}

export function newWitness(): Witness {
  return { operations: new Map(), cancelAsked: false };
}

/** Takes in what an event says, before anybody decides on it. Answers about operations not begun say nothing. */
export function hear(witness: Witness, job: Job, event: JobEvent, now: number): void {
  if (event.type === 'cancel') witness.cancelAsked = true;
  if (event.type === 'operate' && event.act.action === 'resolve') {
    const step = job.steps.find((one) => event.act.action === 'resolve' && one.name === event.act.step);
    const operation = step === undefined ? undefined : witness.operations.get(forwardOperationId(job, step));
    if (operation !== undefined) operation.resolved = true;
  }
  if (event.type === 'callback') hearCallback(witness, job, event, now);
  if (event.type !== 'results') return;
  for (const result of event.results) {
    if (result.direction === 'undo') hearUndo(witness, result);
    else hearForward(witness, result);
  }
}

/** A token that is not the step's own, or is used up, or has run out, says nothing. */
function hearCallback(witness: Witness, job: Job, event: JobEvent & { type: 'callback' }, now: number): void {
  const { token, answer } = event;
  const step = job.steps.find(({ name }) => name === token.step);
  if (answer === null || step?.callback == null || step.callback.used || now >= token.expiresAt) return;
  const { salt, attempt, expiresAt } = step.callback;
  const isOwn = salt === token.salt && attempt === token.attempt && expiresAt === token.expiresAt;
  if (!isOwn || step.round !== token.round || step.status === 'succeeded') return;
  const about = { step: step.name, direction: 'do', operationId: forwardOperationId(job, step) } as const;
  hearForward(witness, { ...about, attempt: step.attempts, at: now, answer });
}

function hearUndo({ operations }: Witness, { operationId, answer }: Result): void {
  const isDone = answer.kind === 'success' || (answer.kind === 'failure' && answer.notFound);
  for (const { undos } of operations.values()) {
    for (const undo of undos.values()) if (isDone && undo.id === operationId) undo.confirmed = true;
  }
}

function hearForward(witness: Witness, { operationId, direction, attempt, answer }: Result): void {
  const operation = witness.operations.get(operationId);
  if (operation === undefined) return;
  if (direction === 'query') {
    const body = answer.kind === 'success' && isObject(answer.output) ? answer.output : {};
    if (body.state === 'applied') operation.applied = true;
    if (body.state === 'not_applied' && body.fenced === true) operation.fenced = true;
    return;
  }
  if (answer.kind === 'success') operation.applied = true;
  if (answer.kind === 'failure' && answer.fenced) operation.fenced = true;
  // A promise of an answer is none yet.
  if (answer.kind === 'accepted') return;
  const word = answer.kind === 'failure' && !answer.mayHaveApplied ? 'clear' : 'doubt';
  if (!operation.firstWord.has(attempt)) operation.firstWord.set(attempt, word);
}

/** Writes down a call; answers a complaint when it repeats an attempt, or when its id is not its operation's own. */
export function seeCall(witness: Witness, job: Job, call: Call): string | null {
  const step = stepOf(job, call.step);
  const expected = call.direction === 'undo' ? undoOperationId(job, step) : forwardOperationId(job, step);
  if (call.operationId !== expected) return `${call.operationId} was called, the job says ${expected}`;
  const operation = operationFor(witness, forwardOperationId(job, step), call, step.round);
  if (operation.step !== call.step || operation.round !== step.round) return `${operation.id} names two operations`;
  if (call.direction !== 'do' && call.about !== operation.id) return `${call.operationId} is about ${call.about}`;
  const isOther = call.direction === 'do' && operation.body !== canonicalJson(call.body);
  if (isOther) return `${operation.id} was called with another payload`;
  return count(call, attemptsFor(operation, call, step.undo?.generation ?? 0));
}

function operationFor({ operations }: Witness, id: string, { step, body }: Call, round: number): Operation {
  const known = operations.get(id);
  if (known !== undefined) return known;
  const fresh = { applied: false, fenced: false, resolved: false };
  const maps = { attempts: new Set<number>(), firstWord: new Map(), undos: new Map() };
  const operation: Operation = { id, step, round, body: canonicalJson(body), ...maps, ...fresh };
  operations.set(id, operation);
  return operation;
}

function attemptsFor(operation: Operation, call: Call, generation: number): Set<number> {
  if (call.direction !== 'undo') return operation.attempts;
  const undo = operation.undos.get(generation) ?? { id: call.operationId, attempts: new Set(), confirmed: false };
  operation.undos.set(generation, undo);
  return undo.attempts;
}

function count({ operationId, direction, attempt }: Call, made: Set<number>): string | null {
  // A person who resumes starts the count of queries anew: they only ask.
  if (direction === 'query') return null;
  if (made.has(attempt)) return `${operationId}: ${direction} repeats attempt ${attempt}`;
  if (attempt !== made.size + 1) return `${operationId}: ${direction} jumps to attempt ${attempt}`;
  made.add(attempt);
  return null;
}

/** Whether any attempt of the operation may have left an effect, as far as a witness can tell. */
export function mayStand(operation: Operation): boolean {
  return operation.applied || [...operation.attempts].some((attempt) => operation.firstWord.get(attempt) !== 'clear');
}

/** Whether a witness heard the newest undo of the operation confirmed. */
export function wasUndone({ undos }: Operation): boolean {
  const newest = Math.max(...undos.keys());
  return undos.get(newest)?.confirmed === true;
}
