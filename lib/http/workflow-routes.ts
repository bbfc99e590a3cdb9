/**
 * Definitions: which workflows there are, and what each of their versions does.
 */
import type { Hono } from 'hono';
import { ACTION_BYTES_MAX, readMigrate } from '../contract/action-requests.ts';
import { graphOf, sagaDrawing, sagaSvg } from '../contract/describe/index.ts';
import { Refusal } from '../contract/problem.ts';
import { readGraphParameters, readVersion, refuseParameters } from '../contract/requests.ts';
import { wireWorkflow, wireWorkflowSummary } from '../contract/wire-workflow.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { migrate } from '../operations/migrate.ts';
import type { AppParts } from './parts.ts';
import { readDocument } from './read-body.ts';
import { json, plainText, refusal, svg } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function workflowRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/workflows', { GET: (asked) => showList(parts, asked) });
  resource(app, '/workflows/:type', { GET: (asked) => showOne(parts, asked) });
  resource(app, '/workflows/:type/graph', { GET: (asked) => showGraph(parts, asked) });
  resource(app, '/workflows/:type/migrate', { POST: (asked) => migrateJobs(parts, asked) });
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
  switch (format) {
    case 'json':
      return json(200, graph);
    case 'mermaid':
      return plainText(200, `${sagaDrawing(graph)}\n`);
    case 'svg':
      return svg(200, sagaSvg(graph));
  }
}

/** A list of refusals is for people to read: beyond these their number says enough. */
const REFUSED_SHOWN = 100;

async function migrateJobs({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  refuseParameters(asked.parameters);
  const said = readMigrate(await readDocument(asked.request, ACTION_BYTES_MAX));
  const workflowType = asked.part('type');
  const result = await migrate(engine, { viewer, workflowType, ...said });
  if (result.kind === 'refused') return refusal(result.code, result.detail);
  return json(200, {
    workflow_type: workflowType,
    from: said.from,
    to: said.to,
    dry_run: said.dryRun,
    migrated: result.migrated,
    refused_count: result.refused.length,
    refused: result.refused.slice(0, REFUSED_SHOWN).map(({ jobId, why }) => ({ job_id: jobId, reason: why })),
    more: result.more,
  });
}

function namedPlan({ plans }: AppParts['engine'], asked: Asked, version: number | null): WorkflowPlan {
  const plan = plans.find(asked.part('type'), version);
  if (plan !== undefined) return plan;
  const what = version === null ? 'workflow of this type' : `version ${version} of this workflow`;
  throw new Refusal('ORCH_UNKNOWN_WORKFLOW', `there is no ${what}: GET /workflows lists what there is`);
}
