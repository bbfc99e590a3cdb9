/**
 * A workflow definition as it is shown: what is called, in which order, and what takes it back. Enough to draw it and
 * to know what a job of it will do; mappers and schemas stay code.
 */
import type { JsonObject } from '../core/json.ts';
import { hasUndo, type StepPlan, topicsOf, type WorkflowPlan } from '../core/plan.ts';

export function wireWorkflowSummary(type: string, plans: readonly WorkflowPlan[]): JsonObject {
  const versions = plans.map((plan) => plan.version).sort((a, b) => a - b);
  const newest = plans.find((plan) => plan.version === versions.at(-1));
  return {
    workflow_type: type,
    versions,
    latest_version: versions.at(-1) ?? null,
    digest: newest?.digest ?? null,
    topics: newest === undefined ? [] : topicsOf(newest),
  };
}

export function wireWorkflow(plan: WorkflowPlan, versions: readonly number[]): JsonObject {
  return {
    workflow_type: plan.type,
    workflow_version: plan.version,
    versions: [...versions].sort((a, b) => a - b),
    digest: plan.digest,
    topics: topicsOf(plan),
    recovery: plan.recovery === null ? 'reverse' : [...plan.recovery],
    concurrent_undo: plan.concurrentUndo,
    deadline_ms: plan.deadlineMs,
    undo_deadline_ms: plan.undoDeadlineMs,
    max_retries: plan.maxRetries,
    quarantine: plan.quarantine,
    events: { completed: plan.events.completed, failed: plan.events.failed },
    stages: stagesOf(plan),
  };
}

function stagesOf(plan: WorkflowPlan): JsonObject[] {
  const numbers = [...new Set(plan.steps.map((step) => step.stage))];
  return numbers.map((stage) => ({
    stage: stage + 1,
    steps: plan.steps.filter((step) => step.stage === stage).map(wireStepPlan),
  }));
}

function wireStepPlan(step: StepPlan): JsonObject {
  return {
    step: step.name,
    kind: step.kind,
    topic: step.topic,
    timeout_ms: step.timeoutMs,
    on_unknown: step.onUnknown,
    query: step.query === null ? null : { topic: step.query.topic },
    compensation: wireUndoPlan(step),
  };
}

function wireUndoPlan(step: StepPlan): JsonObject | null {
  if (hasUndo(step)) return { topics: [...step.undo.topics], timeout_ms: step.undo.timeoutMs };
  return step.undo !== null && 'none' in step.undo ? { none: step.undo.none } : null;
}
