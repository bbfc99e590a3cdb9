/**
 * Definitions: which workflows there are, and what each of their versions does.
 */
import type { Hono } from 'hono';
import { graphOf, sagaDrawing } from '../contract/describe/index.ts';
import { Refusal } from '../contract/problem.ts';
import { readGraphParameters, readVersion, refuseParameters } from '../contract/requests.ts';
import { wireWorkflow, wireWorkflowSummary } from '../contract/wire-workflow.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import type { AppParts } from './parts.ts';
import { json, plainText } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function workflowRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/workflows', { GET: (asked) => showList(parts, asked) });
  resource(app, '/workflows/:type', { GET: (asked) => showOne(parts, asked) });
  resource(app, '/workflows/:type/graph', { GET: (asked) => showGraph(parts, asked) });
}

function showList({ engine, caller }: AppParts, asked: Asked): Response {
  caller(asked.request);
  refuseParameters(asked.parameters);
  const plans = engine.plans.list();
  const types = [...new Set(plans.map((plan) => plan.type))];
  const items = types.map((type) =>
    wireWorkflowSummary(
      type,
      plans.filter((plan) => plan.type === type),
    ),
  );
  return json(200, { items });
}

function showOne({ engine, caller }: AppParts, asked: Asked): Response {
  caller(asked.request);
  const plan = namedPlan(engine, asked, readVersion(asked.parameters));
  const versions = engine.plans.list().filter((one) => one.type === plan.type);
  return json(
    200,
    wireWorkflow(
      plan,
      versions.map((one) => one.version),
    ),
  );
}

function showGraph({ engine, caller }: AppParts, asked: Asked): Response {
  caller(asked.request);
  const { format, version } = readGraphParameters(asked.parameters);
  const graph = graphOf(namedPlan(engine, asked, version ?? null));
  return format === 'json' ? json(200, graph) : plainText(200, `${sagaDrawing(graph)}\n`);
}

function namedPlan({ plans }: AppParts['engine'], asked: Asked, version: number | null): WorkflowPlan {
  const plan = plans.find(asked.part('type'), version);
  if (plan !== undefined) return plan;
  const what = version === null ? 'workflow of this type' : `version ${version} of this workflow`;
  throw new Refusal('ORCH_UNKNOWN_WORKFLOW', `there is no ${what}: GET /workflows lists what there is`);
}
