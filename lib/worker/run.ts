/**
 * Runs one call against the memory of its operation. An effect elsewhere lies between two changes, under a lease; a
 * local effect is one change. Invariant: what is answered, and the line in the call log that tells of it, are stored
 * in the same step as what they say.
 */
import { answerOf, type EnvelopeResponse, successResponse } from '../contract/envelope.ts';
import { fingerprint, type JsonObject } from '../contract/json.ts';
import { isFinal } from '../contract/status.ts';
import type { CallIdentity, Invocation } from './call.ts';
import {
  admitForward,
  admitUndo,
  endForward,
  endUndo,
  inquire,
  type Operation,
  startForward,
  startUndo,
  undoRunOf,
} from './operation.ts';
import { type Explain, explained, Reply, refused, unexplained } from './refusal.ts';
import type { LoggedCall, OperationStore } from './store.ts';
import type { ForwardTopic, LocalForwardTopic, LocalUndoTopic, ReadOnlyTopic, Topic, UndoTopic } from './topics.ts';

export interface Running {
  readonly store: OperationStore;
  readonly now: () => number;
  readonly leaseMs: number;
  /** Tells this run from another one of the same operation. */
  readonly owner: string;
  readonly onError: (error: unknown) => void;
  readonly explain: Explain | undefined;
}

export function run(running: Running, topic: Topic, call: Invocation): Promise<EnvelopeResponse> {
  switch (topic.kind) {
    case 'readOnly':
      return look(running, topic, call);
    case 'forward':
      return runForward(running, topic, call);
    case 'undo':
      return runUndo(running, topic, call);
    case 'localForward':
      return runLocalForward(running, topic, call);
    case 'localUndo':
      return runLocalUndo(running, topic, call);
    case 'query':
      return query(running, call);
  }
}

async function look(running: Running, topic: ReadOnlyTopic, call: Invocation): Promise<EnvelopeResponse> {
  const answer = await attempted(running, () => topic.handle(call));
  await running.store.log(logged(call, answer, running.now()));
  return answer;
}

async function runForward(running: Running, topic: ForwardTopic, call: Invocation): Promise<EnvelopeResponse> {
  const print = fingerprint(call.input);
  const known = await change(running, call, (operation, now) => {
    const admission = admitForward(operation, print, now);
    return admission.run ? { next: startForward(operation, print, lease(running, now)), answer: null } : admission;
  });
  if (known !== null) return known;
  const answer = await attempted(running, () => topic.handle(call));
  return settle(running, call, (operation) => {
    const next = endForward(operation, running.owner, answer);
    return { next, answer: next.forward.answer ?? answer };
  });
}

async function runUndo(running: Running, topic: UndoTopic, call: Invocation): Promise<EnvelopeResponse> {
  const known = await change(running, call, (operation, now) => {
    const admission = admitUndo(operation, call.operationId, now);
    const start = (): Operation => startUndo(operation, call.operationId, lease(running, now));
    return admission.run ? { next: start(), answer: null } : admission;
  });
  if (known !== null) return known;
  const answer = await attempted(running, () => topic.handle({ ...call, undoOf: call.about }));
  return settle(running, call, (operation) => {
    const next = endUndo(operation, call.operationId, running.owner, answer);
    return { next, answer: undoRunOf(next, call.operationId).answer ?? answer };
  });
}

function runLocalForward(running: Running, topic: LocalForwardTopic, call: Invocation): Promise<EnvelopeResponse> {
  const print = fingerprint(call.input);
  return settle(running, call, (operation, now) => {
    const admission = admitForward(operation, print, now);
    if (!admission.run) return admission;
    const { answer, made } = computed(running, () => {
      const { record, output } = topic.handle(call);
      return { answer: successResponse('ok', output), made: record };
    });
    if (!isFinal(answer.statusCode)) return { next: operation, answer };
    return {
      next: { ...endForward({ ...operation, fingerprint: print }, running.owner, answer), record: made },
      answer,
    };
  });
}

function runLocalUndo(running: Running, topic: LocalUndoTopic, call: Invocation): Promise<EnvelopeResponse> {
  return settle(running, call, (operation, now) => {
    const admission = admitUndo(operation, call.operationId, now);
    if (!admission.run) return admission;
    const { answer } = computed(running, () => {
      topic.check(operation.record ?? {});
      return { answer: successResponse('ok', { undone: true, found: true }), made: null };
    });
    return { next: endUndo(operation, call.operationId, running.owner, answer), answer };
  });
}

function query(running: Running, call: Invocation): Promise<EnvelopeResponse> {
  return settle(running, call, (operation, now) => {
    const { next, finding } = inquire(operation, call.fence, now);
    return { next, answer: successResponse('ok', finding) };
  });
}

interface Step<A extends EnvelopeResponse | null> {
  readonly next: Operation;
  readonly answer: A;
}

/** One atomic change of the operation the call is about. What answers the call is logged with it. */
function change<A extends EnvelopeResponse | null>(
  { store, now }: Running,
  call: Invocation,
  decide: (operation: Operation, now: number) => Step<A>,
): Promise<A> {
  return store.change(call.about, (operation) => {
    const at = now();
    const { next, answer } = decide(operation, at);
    const log = answer === null ? null : logged(call, answer, at);
    return { next: next === operation ? null : next, call: log, result: answer };
  });
}

const settle = change<EnvelopeResponse>;

function lease({ owner, leaseMs }: Running, now: number): { owner: string; until: number } {
  return { owner, until: now + leaseMs };
}

async function attempted(running: Running, handle: () => unknown): Promise<EnvelopeResponse> {
  try {
    const output = await handle();
    return output instanceof Reply ? successResponse(output.status, output.output) : successResponse('ok', output);
  } catch (error) {
    return failed(running, error);
  }
}

interface Computed {
  readonly answer: EnvelopeResponse;
  readonly made: JsonObject | null;
}

/** Nothing is stored yet when a pure handler throws: whatever it was, it did not apply. */
function computed(running: Running, compute: () => Computed): Computed {
  try {
    return compute();
  } catch (error) {
    return { answer: failed(running, error, false), made: null };
  }
}

function failed(running: Running, error: unknown, applied?: boolean): EnvelopeResponse {
  const refusal = explained(error, running.explain);
  if (refusal !== error) running.onError(error);
  return refusal === undefined ? unexplained(applied) : refused(refusal, applied);
}

export function logged(
  { topic, operationId, attempt }: CallIdentity,
  answer: EnvelopeResponse,
  at: number,
): LoggedCall {
  return { topic, operationId, attempt, at, result: resultOf(answer) };
}

/** The status of a success, else the code that the caller reads from it. */
function resultOf(response: EnvelopeResponse): string {
  const answer = answerOf(response);
  return answer.kind === 'failure' ? answer.code : response.statusCode;
}
