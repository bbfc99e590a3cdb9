/**
 * From a draft to the plan the core runs: defaults filled in, durations in milliseconds, mappers wrapped so that their
 * results are JSON and their failures name the step. The draft has passed `check-workflow.ts`.
 */
import { SAGA_POLICY } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { MappingContext, NoUndo, StepKind, StepPlan, UndoPlan, WorkflowPlan } from '../core/plan.ts';
import { toJson } from './body.ts';
import { compileGuard, compileWork, outputOf } from './compile-work.ts';
import { digestOf, partsOf } from './digest.ts';
import { eventsOf, type WorkflowDraft } from './draft.ts';
import { millis } from './duration.ts';
import { runMapper, whereIs } from './errors.ts';
import { check } from './schemas.ts';
import { type StepDraft, type UndoDraft, undoOf, undoTopicsOf } from './step.ts';

export function compile(draft: WorkflowDraft): WorkflowPlan {
  const plan: Omit<WorkflowPlan, 'digest'> = {
    type: draft.type,
    version: draft.version,
    steps: draft.stages.flatMap((stage, index) => stage.map((step) => compileStep(draft, step, index))),
    stages: draft.stages.length,
    recovery: draft.recovery ?? null,
    concurrentUndo: draft.concurrentUndo ?? false,
    deadlineMs: millis(draft.deadline, LIMITS.jobDeadlineMsDefault),
    undoDeadlineMs: millis(draft.undoDeadline, LIMITS.undoDeadlineMsDefault),
    maxRetries: draft.maxRetries ?? LIMITS.maxRetriesDefault,
    retry: draft.retry ?? {},
    events: eventsOf(draft),
    quarantine: draft.quarantine ?? 'default',
    sagaRetry: draft.sagaRetry === undefined ? null : { ...SAGA_POLICY, ...draft.sagaRetry },
    onFailed: draft.onFailed ?? 'return',
    checkInput: (input) => check(draft.input, input),
    output: (seen) => runMapper(whereIs(draft), 'its output mapper', () => toJson(draft.output(seen))),
  };
  return { ...plan, digest: digestOf(draft, plan), parts: partsOf(draft, plan) };
}

function compileStep(draft: WorkflowDraft, step: StepDraft, stage: number): StepPlan {
  const where = whereIs(draft, step.name);
  const map = (seen: MappingContext): Json => runMapper(where, 'its input mapper', () => toJson(step.input(seen)));
  const call =
    step.children !== undefined && 'call' in step.children.of ? compileCall(draft, step.children.of.call) : null;
  return {
    name: step.name,
    stage,
    kind: kindOf(step),
    work: compileWork(where, step, call),
    when: compileGuard(where, step),
    topic: step.topic ?? null,
    timeoutMs: millis(step.timeout, LIMITS.stepTimeoutMsDefault),
    retry: step.retry ?? {},
    onUnknown: step.onUnknown ?? 'retry',
    query: step.query === undefined ? null : { topic: step.query },
    undo: compileUndo(where, step),
    map,
    checkOutput: (body) => check(outputOf(step), body),
  };
}

/** What one child calls: its input is made for it by the step whose child it is. */
function compileCall(draft: WorkflowDraft, call: StepDraft): StepPlan {
  return { ...compileStep(draft, call, 0), map: ({ input }) => input as Json };
}

function kindOf(step: StepDraft): StepKind {
  if (step.readOnly === true) return 'readOnly';
  return step.irreversible === true ? 'irreversible' : 'compensatable';
}

function compileUndo(where: string, step: StepDraft): UndoPlan | NoUndo | null {
  if (step.readOnly === true) return null;
  const undo = undoOf(step);
  if (undo === null) return { none: 'irreversible' };
  if ('none' in undo) return undo;
  if (step.children !== undefined) return takenBack;
  const topics = undoTopicsOf(undo);
  return {
    topics,
    choose: (output) => runMapper(where, 'its choice of an undo', () => chosen(undo, topics, understood(step, output))),
    map: undo.input === undefined ? null : (input, output) => mapUndo(where, step, undo, input, output),
    timeoutMs: millis(undo.timeout, LIMITS.stepTimeoutMsDefault),
    retry: undo.retry ?? {},
  };
}

/** Children are taken back by a job of its own, each in its own way. */
const takenBack: UndoPlan = {
  topics: [],
  choose: () => {
    throw new Error('children are taken back one by one');
  },
  map: null,
  timeoutMs: LIMITS.stepTimeoutMsDefault,
  retry: {},
};

function mapUndo(where: string, step: StepDraft, undo: UndoDraft, input: Json, output: Json | null): Json {
  return runMapper(where, 'the input mapper of its undo', () =>
    toJson(undo.input?.({ input, output: understood(step, output) })),
  );
}

function chosen(undo: UndoDraft, topics: readonly string[], output: unknown): string {
  const topic = undo.choose === undefined ? topics[0] : undo.choose(output);
  if (topic !== undefined && topics.includes(topic)) return topic;
  throw new Error(
    `it chose '${topic}', which is not among the declared topics ${topics.join(', ')}; add it to undo.topics`,
  );
}

/** Stored answers are kept as they came, also one that did not fit: typed code is given what its type promises, or null. */
function understood(step: StepDraft, output: Json | null): unknown {
  if (output === null) return null;
  const checked = check(outputOf(step), output);
  return checked.ok ? checked.value : null;
}
