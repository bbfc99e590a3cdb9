/**
 * What one step may not be, whatever stands around it. Every complaint says what to write instead; nobody has to read
 * this file to correct a definition.
 */
import { RESERVED_STEP_NAME, STEP_NAME } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { NoUndo } from '../core/plan.ts';
import { laterProblems, waitProblems } from './check-wait.ts';
import { durationProblems } from './duration.ts';
import { overrideProblems, policyProblems } from './policies.ts';
import { schemaProblems } from './schemas.ts';
import { type StepDraft, type UndoDraft, undoOf, undoTopicsOf } from './step.ts';

/** Also the pattern of event names: what happened, to what. */
export const TOPIC = /^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/;

export function* stepProblems(step: StepDraft): Generator<string> {
  yield* nameProblems(step.name);
  if (step.children !== undefined) {
    // What a child calls is a step like any other; the step around it has nothing of its own.
    if ('call' in step.children.of) yield* stepProblems(step.children.of.call);
    return;
  }
  if (step.waits !== undefined) yield* waitProblems(step, step.waits);
  if (step.waits === undefined || step.topic !== undefined) yield* topicProblems('topic', step.topic ?? '');
  if (step.waits === undefined || step.waits.type === 'signal') yield* schemaProblems('the output schema', step.output);
  yield* laterProblems(step);
  yield* durationProblems('timeout', step.timeout, LIMITS.stepTimeoutMsMax);
  yield* overrideProblems(step.retry);
  yield* kindProblems(step);
  yield* unknownProblems(step);
  if (step.query !== undefined) yield* topicProblems('query topic', step.query, step.topic);
  const undo = undoOf(step);
  if (undo !== null) yield* 'none' in undo ? noneProblems(undo) : undoProblems(step, undo);
}

function* nameProblems(name: string): Generator<string> {
  if (!STEP_NAME.test(name)) {
    yield `'${name}' is not a step name; use a small letter, then at most 39 small letters, digits or hyphens`;
  } else if (RESERVED_STEP_NAME.test(name)) {
    yield `'${name}' is reserved for operation ids; name the step after what it does`;
  }
}

function* topicProblems(what: string, topic: string, own?: string): Generator<string> {
  if (!TOPIC.test(topic))
    yield `${what} '${topic}' is not a topic; write 'service:action' in small letters: 'tenant:create'`;
  else if (topic === own) yield `${what} '${topic}' is the step's own topic and would repeat it; name another one`;
}

function* kindProblems(step: StepDraft): Generator<string> {
  const undo = step.undo !== undefined;
  if (step.readOnly === true && step.irreversible === true) {
    yield 'it cannot be readOnly and irreversible; keep readOnly if it changes nothing, irreversible if it cannot be undone';
  }
  if (step.readOnly === true && undo) yield 'a readOnly step has nothing to undo; remove undo, or remove readOnly';
  if (step.irreversible === true && undo) {
    yield 'an irreversible step cannot be undone; remove undo, or remove irreversible';
  }
  if (step.readOnly !== true && step.irreversible !== true && !undo) {
    yield "it may have an effect and no way back; give undo: 'service:action', undo: none('why'), readOnly: true or irreversible: true";
  }
}

function* unknownProblems(step: StepDraft): Generator<string> {
  const { onUnknown, query } = step;
  if (step.readOnly === true) {
    if (onUnknown !== undefined) yield 'a readOnly step is never unknown, it is just asked again; remove onUnknown';
    if (query !== undefined) yield 'a readOnly step has no effect to ask about; remove query';
    return;
  }
  if (onUnknown === 'query' && query === undefined) {
    yield "onUnknown 'query' needs something to ask; add query: 'service:find', or use 'retry'";
  }
  if (onUnknown !== 'compensate') return;
  const instead = "use 'retry', 'query' or 'review'";
  if (step.irreversible === true) yield `an irreversible step cannot be settled by compensating it; ${instead}`;
  const undo = undoOf(step);
  if (undo !== null && 'none' in undo) yield `a step without undo cannot be settled by compensating it; ${instead}`;
}

function* noneProblems(undo: NoUndo): Generator<string> {
  if (undo.none.trim() === '')
    yield "none('') gives no reason; say why nothing is to be undone: none('only writes a log line')";
}

function* undoProblems(step: StepDraft, undo: UndoDraft): Generator<string> {
  const topics = undoTopicsOf(undo);
  if (topics.length === 0) yield "undo names no topic; write undo: 'service:action', or list topics to choose from";
  for (const topic of topics) yield* topicProblems('undo topic', topic, step.topic);
  if (new Set(topics).size < topics.length) yield 'undo names a topic twice; list each once';
  if (topics.length > 1 && undo.choose === undefined) {
    yield 'undo lists several topics and no way to choose; add choose: (output) => topic';
  }
  yield* durationProblems('undo timeout', undo.timeout, LIMITS.stepTimeoutMsMax);
  yield* policyProblems('undo retry', undo.retry);
}
