/**
 * A workflow's saga as a graph: its steps in order, the undo of each, and the order of the way back. What crosses the
 * wire at `/workflows/{type}/graph?format=json`, and what every drawing and table of a workflow is made from.
 */
import type { Json } from '../../core/json.ts';
import { hasUndo, type StepPlan, type WorkflowPlan } from '../../core/plan.ts';

export interface GraphNode {
  readonly id: string;
  readonly kind: 'start' | 'step' | 'undo' | 'completed';
  readonly step?: string;
  /** From 1, as people count. */
  readonly stage?: number;
  readonly step_kind?: StepPlan['kind'];
  /** One for a call; for an undo all that it may choose from. */
  readonly topics?: readonly string[];
  readonly query?: string | null;
  readonly timeout_ms?: number;
  readonly on_unknown?: StepPlan['onUnknown'];
  /** Why an effect needs no undo. */
  readonly undo_none?: string;
  readonly retry?: Json;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `next`: forward; `undo`: from a step to what takes it back; `undo_next`: the way back, one undo to the next. */
  readonly kind: 'next' | 'undo' | 'undo_next';
}

export interface SagaGraph {
  readonly workflow_type: string;
  readonly workflow_version: number;
  readonly digest: string;
  /** `listed`: in the order of the definition. `reverse`: last completed first. */
  readonly recovery: 'reverse' | 'listed' | 'concurrent';
  readonly deadline_ms: number;
  readonly undo_deadline_ms: number;
  readonly max_retries: number;
  readonly quarantine: WorkflowPlan['quarantine'];
  readonly on_failed: WorkflowPlan['onFailed'];
  /** Rounds of the whole, the first included. */
  readonly saga_attempts: number;
  readonly retry: Json;
  readonly events: { readonly completed: string; readonly failed: string };
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function graphOf(plan: WorkflowPlan): SagaGraph {
  const undoable = plan.steps.filter(hasUndo);
  return {
    workflow_type: plan.type,
    workflow_version: plan.version,
    digest: plan.digest,
    recovery: plan.concurrentUndo ? 'concurrent' : plan.recovery === null ? 'reverse' : 'listed',
    deadline_ms: plan.deadlineMs,
    undo_deadline_ms: plan.undoDeadlineMs,
    max_retries: plan.maxRetries,
    quarantine: plan.quarantine,
    on_failed: plan.onFailed,
    saga_attempts: plan.sagaRetry?.maxAttempts ?? 1,
    retry: plain(plan.retry),
    events: plan.events,
    nodes: [
      { id: 'start', kind: 'start' },
      ...plan.steps.map(stepNode),
      ...undoable.map((step) => undoNode(step)),
      { id: 'completed', kind: 'completed' },
    ],
    edges: [
      ...forwardEdges(plan),
      ...undoable.map((step) => ({ from: stepId(step.name), to: undoId(step.name), kind: 'undo' }) as const),
      ...wayBack(plan),
    ],
  };
}

const stepId = (step: string): string => `do.${step}`;
const undoId = (step: string): string => `undo.${step}`;

function stepNode(step: StepPlan): GraphNode {
  // An irreversible step says so by its kind.
  const { kind, undo } = step;
  const none = kind === 'compensatable' && undo !== null && 'none' in undo ? { undo_none: undo.none } : {};
  return {
    id: stepId(step.name),
    kind: 'step',
    step: step.name,
    stage: step.stage + 1,
    step_kind: kind,
    topics: step.topic === null ? [] : [step.topic],
    query: step.query?.topic ?? null,
    timeout_ms: step.timeoutMs,
    on_unknown: step.onUnknown,
    ...none,
    retry: plain(step.retry),
  };
}

function undoNode({
  name,
  undo,
}: StepPlan & { readonly undo: { topics: readonly string[]; timeoutMs: number; retry: object } }): GraphNode {
  return {
    id: undoId(name),
    kind: 'undo',
    step: name,
    topics: undo.topics,
    timeout_ms: undo.timeoutMs,
    retry: plain(undo.retry),
  };
}

/** Every step of a stage begins when every one of the stage before is done. */
function forwardEdges(plan: WorkflowPlan): GraphEdge[] {
  const stages = stagesOf(plan).map((steps) => steps.map(({ name }) => stepId(name)));
  const columns = [['start'], ...stages, ['completed']];
  return columns.slice(1).flatMap((column, index) => crossed(columns[index] ?? [], column, 'next'));
}

function wayBack(plan: WorkflowPlan): GraphEdge[] {
  if (plan.concurrentUndo) return [];
  const columns =
    plan.recovery === null
      ? stagesOf(plan)
          .map((steps) => steps.filter(hasUndo).map(({ name }) => undoId(name)))
          .filter((column) => column.length > 0)
          .toReversed()
      : plan.recovery.map((name) => [undoId(name)]);
  return columns.slice(1).flatMap((column, index) => crossed(columns[index] ?? [], column, 'undo_next'));
}

function stagesOf({ steps }: WorkflowPlan): StepPlan[][] {
  const numbers = [...new Set(steps.map(({ stage }) => stage))];
  return numbers.map((number) => steps.filter(({ stage }) => stage === number));
}

function crossed(left: readonly string[], right: readonly string[], kind: GraphEdge['kind']): GraphEdge[] {
  return left.flatMap((from) => right.map((to) => ({ from, to, kind })));
}

function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
