/**
 * Definitions: which workflows there are, and what each of their versions does.
 */
import type { Hono } from 'hono';
import { Refusal } from '../contract/problem.ts';
import { readVersion, refuseParameters } from '../contract/requests.ts';
import { wireWorkflow, wireWorkflowSummary } from '../contract/wire-workflow.ts';
import type { AppParts } from './parts.ts';
import { json } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function workflowRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/workflows', { GET: (asked) => showList(parts, asked) });
  resource(app, '/workflows/:type', { GET: (asked) => showOne(parts, asked) });
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
  const type = asked.part('type');
  const version = readVersion(asked.parameters);
  const plan = engine.plans.find(type, version);
  if (plan === undefined) {
    const what = version === null ? 'workflow of this type' : `version ${version} of this workflow`;
    throw new Refusal('ORCH_UNKNOWN_WORKFLOW', `there is no ${what}: GET /workflows lists what there is`);
  }
  const versions = engine.plans.list().filter((one) => one.type === type);
  return json(
    200,
    wireWorkflow(
      plan,
      versions.map((one) => one.version),
    ),
  );
}
