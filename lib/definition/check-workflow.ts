/**
 * What a workflow as a whole may not be. All complaints are collected, each with its place, so that a definition is
 * corrected in one round. A definition that passes can be rolled back by plan, or says where it cannot.
 */
import { STEP_NAME } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { childrenProblems } from './check-children.ts';
import { stepProblems, TOPIC } from './check-step.ts';
import { longestWaitMs } from './check-wait.ts';
import { eventsOf, type WorkflowDraft } from './draft.ts';
import { durationOf, durationProblems, millis } from './duration.ts';
import { whereIs } from './errors.ts';
import { overrideProblems } from './policies.ts';
import { schemaProblems } from './schemas.ts';
import { type StepDraft, undoOf } from './step.ts';

/** EventBridge takes no longer detail types. */
const EVENT_NAME_CHARACTERS_MAX = 128;

export function workflowProblems(draft: WorkflowDraft): string[] {
  const whole = [...headProblems(draft), ...ruleProblems(draft), ...stageProblems(draft), ...recoveryProblems(draft)];
  const steps = draft.stages.flat();
  return [
    ...whole.map((problem) => `${whereIs(draft)}: ${problem}`),
    ...steps.flatMap((step) => placed(draft, step, stepProblems(step))),
    ...steps.flatMap((step) =>
      step.children === undefined ? [] : placed(draft, step, childrenProblems(draft.type, step.children)),
    ),
    ...draft.stages.flatMap((stage, index) => orderProblems(draft, stage, draft.stages.slice(0, index).flat())),
  ];
}

function placed(draft: WorkflowDraft, step: StepDraft, problems: Iterable<string>): string[] {
  return [...problems].map((problem) => `${whereIs(draft, step.name)}: ${problem}`);
}

function* headProblems(draft: WorkflowDraft): Generator<string> {
  if (!STEP_NAME.test(draft.type)) {
    yield `'${draft.type}' is not a workflow type; use a small letter, then at most 39 small letters, digits or hyphens`;
  }
  if (!Number.isSafeInteger(draft.version) || draft.version < 1) {
    yield `version ${draft.version} is not a version; count them 1, 2, 3`;
  }
  yield* schemaProblems('the input schema', draft.input);
}

function* ruleProblems(draft: WorkflowDraft): Generator<string> {
  yield* durationProblems('deadline', draft.deadline, LIMITS.jobDeadlineMsMax);
  yield* durationProblems('undoDeadline', draft.undoDeadline, LIMITS.jobDeadlineMsMax);
  const { maxRetries = 0 } = draft;
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) {
    yield `maxRetries ${maxRetries} is not a count; write 0, 1, 2, ... (default ${LIMITS.maxRetriesDefault})`;
  }
  yield* overrideProblems(draft.retry);
  const deadlineMs = millis(draft.deadline, LIMITS.jobDeadlineMsDefault);
  for (const step of draft.stages.flat()) {
    const waitMs = longestWaitMs(step);
    if (waitMs === 0 || waitMs < deadlineMs) continue;
    yield `step ${step.name} waits up to ${durationOf(waitMs)} and the whole job ends after ${durationOf(deadlineMs)}; set a longer .deadline(...)`;
  }
  const { completed, failed } = eventsOf(draft);
  for (const name of [completed, failed]) {
    if (!TOPIC.test(name) || name.length > EVENT_NAME_CHARACTERS_MAX) {
      yield `event name '${name}' is not one; write 'thing:happened' in small letters, at most ${EVENT_NAME_CHARACTERS_MAX} characters`;
    }
  }
  if (completed === failed) yield `both ends have the event '${completed}'; give success and failure different names`;
}

function* stageProblems(draft: WorkflowDraft): Generator<string> {
  if (draft.stages.length === 0) yield 'it has no stage; add .stage(step(...))';
  for (const [index, stage] of draft.stages.entries()) {
    if (stage.length === 0) yield `stage ${index + 1} has no step; put one in or remove the stage`;
  }
  const names = draft.stages.flat().map((step) => step.name);
  if (names.length > LIMITS.stepsPerJob) {
    yield `it has ${names.length} steps and a job holds ${LIMITS.stepsPerJob}; split it into several workflows`;
  }
  const signals = draft.stages.flat().flatMap(({ waits }) => (waits?.type === 'signal' ? [waits.signal] : []));
  for (const name of repeated(signals)) yield `signal '${name}' is waited for twice; give each step its own`;
  for (const name of repeated(names))
    yield `step name '${name}' is used twice; outputs are read by name, give each its own`;
}

/** Once an irreversible step may have taken effect there is no way back: nothing after it may need one. */
function orderProblems(draft: WorkflowDraft, stage: readonly StepDraft[], before: readonly StepDraft[]): string[] {
  const alone = stage.find((step) => step.irreversible === true);
  const earlier = before.find((step) => step.irreversible === true);
  return stage.flatMap((step) => {
    const found: string[] = [];
    if (alone !== undefined && stage.length > 1 && step === alone) {
      const others = stage.filter((other) => other !== alone).map((other) => other.name);
      found.push(`an irreversible step stands alone in its stage; move ${others.join(', ')} into a stage before it`);
    }
    if (earlier !== undefined && step.readOnly !== true && step.irreversible !== true) {
      found.push(
        `a compensatable step cannot follow the irreversible ${earlier.name}; put it into a stage before ${earlier.name}`,
      );
    }
    return placed(draft, step, found);
  });
}

function* recoveryProblems(draft: WorkflowDraft): Generator<string> {
  const { recovery } = draft;
  if (recovery === undefined) return;
  const undoable = draft.stages
    .flat()
    .filter(isUndoable)
    .map((step) => step.name);
  const unknown = recovery.filter((name) => !undoable.includes(name));
  const missing = undoable.filter((name) => !recovery.includes(name));
  const whole = `list each step that has an undo once: ${undoable.join(', ')}`;
  if (unknown.length > 0) yield `recovery names ${unknown.join(', ')}, which no step with an undo is called; ${whole}`;
  if (missing.length > 0) yield `recovery leaves out ${missing.join(', ')}; ${whole}`;
  for (const name of repeated(recovery)) yield `recovery names ${name} twice; ${whole}`;
  if (draft.concurrentUndo === true) yield 'recovery gives an order and concurrentUndo gives it up; keep one of them';
}

function isUndoable(step: StepDraft): boolean {
  const undo = undoOf(step);
  return undo !== null && !('none' in undo);
}

function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}
