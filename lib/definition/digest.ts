/**
 * The fingerprint of a definition: all that decides what a job of it does. Two builds of one version must agree on it,
 * else jobs on their way would be continued by other rules than they started with. Functions count by their source, in
 * which layout and comments are left out; what they close over is not seen. Compare digests made by the same tool:
 * a bundler writes functions differently.
 */
import { fingerprint, type Json, type JsonObject } from '../core/json.ts';
import type { StepPlan, WorkflowPlan } from '../core/plan.ts';
import { hasUndo } from '../core/plan.ts';
import { outputOf } from './compile-work.ts';
import type { WorkflowDraft } from './draft.ts';
import { jsonSchemaOf } from './schemas.ts';
import { type ChildrenDraft, type StepDraft, undoOf } from './step.ts';

export function digestOf(draft: WorkflowDraft, plan: Omit<WorkflowPlan, 'digest'>): string {
  const drafts = draft.stages.flat();
  const { steps: _steps, checkInput: _check, output: _output, parts: _parts, ...rules } = plan;
  return fingerprint(
    plainJson({
      ...rules,
      input: jsonSchemaOf(draft.input),
      output: sourceOf(draft.output),
      steps: plan.steps.map((step, index) => stepFacts(step, drafts[index])),
    }),
  );
}

/** The fingerprint of each part, so that two versions can be told apart by what differs. */
export function partsOf(draft: WorkflowDraft, plan: Omit<WorkflowPlan, 'digest'>): Record<string, string> {
  const drafts = draft.stages.flat();
  const { steps, type: _type, version: _version, checkInput: _check, output: _output, parts: _parts, ...rules } = plan;
  const of = (facts: unknown): string => fingerprint(plainJson<Json>(facts)).slice(0, PART_CHARACTERS);
  return {
    input: of(jsonSchemaOf(draft.input)),
    output: of(sourceOf(draft.output)),
    rules: of(rules),
    // Where a step stands is not what it does.
    order: of(steps.map(({ name, stage }) => [name, stage])),
    ...Object.fromEntries(
      steps.map((step, index) => [`step ${step.name}`, of({ ...stepFacts(step, drafts[index]), stage: null })]),
    ),
  };
}

/** 64 bits: enough to tell versions of one part apart, short enough for people to compare. */
const PART_CHARACTERS = 16;

function stepFacts(step: StepPlan, draft: StepDraft | undefined): JsonObject {
  if (draft === undefined) throw new Error(`step ${step.name} was compiled from nothing`);
  const { map: _map, checkOutput: _check, undo, work: _work, when: _when, ...rules } = step;
  return plainJson({
    ...rules,
    input: sourceOf(draft.input),
    output: jsonSchemaOf(outputOf(draft)),
    ...workFacts(step, draft),
    undo: hasUndo(step) ? undoFacts(step, draft) : plainJson(undo),
  });
}

/** Only what differs from a plain call that is always made. */
function workFacts({ work }: StepPlan, draft: StepDraft): JsonObject {
  const { waits, when } = draft;
  const plain = work.type === 'call' && work.later === null;
  if (draft.children !== undefined) return childrenFacts(work, draft.children);
  const moment = waits?.type === 'until' ? { moment: sourceOf(waits.moment) } : {};
  return plainJson({
    ...(plain ? {} : { work, ...moment, ...(waits?.type === 'sleep' ? { span: waits.span } : {}) }),
    ...(when === undefined ? {} : { when: sourceOf(when) }),
  });
}

function childrenFacts(work: StepPlan['work'], draft: ChildrenDraft): JsonObject {
  if (work.type !== 'children') throw new Error('a step with children was compiled to something else');
  const { child, single, concurrency, policy } = work;
  const sources = Object.entries(draft.functions).map(([name, value]) => [
    name,
    typeof value === 'function' ? sourceOf(value as () => unknown) : value,
  ]);
  const of = child.kind === 'call' && 'call' in draft.of ? stepFacts(child.call, draft.of.call) : child;
  return plainJson({ work: { of, single, concurrency, policy, functions: Object.fromEntries(sources) } });
}

function undoFacts(step: StepPlan & { readonly undo: object }, draft: StepDraft): JsonObject {
  const { choose: _choose, map: _map, ...rules } = step.undo as { choose?: unknown; map?: unknown };
  const written = undoOf(draft);
  const mappers = written === null || 'none' in written ? {} : written;
  return plainJson({ ...rules, choose: sourceOf(mappers.choose), input: sourceOf(mappers.input) });
}

/** Every literal, or a comment, blank space, or the comma a formatter puts before a closing bracket. */
const LAYOUT =
  /('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\s+|,(?=\s*[)\]}])/g;

function sourceOf(written: ((...given: never[]) => unknown) | undefined): Json {
  return written === undefined ? null : written.toString().replace(LAYOUT, (_whole, literal?: string) => literal ?? '');
}

function plainJson<T extends Json>(value: unknown): T {
  return JSON.parse(JSON.stringify(value));
}
