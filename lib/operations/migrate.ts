/**
 * Moves the jobs of one version of a workflow to another, each by a write of its own: those that cannot go are told with
 * the reason and stay as they are. A dry run asks the same rules and writes nothing. Repeating it goes on where it ended.
 */
import { decide } from '../core/decide.ts';
import type { JobId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import type { WorkflowPlan } from '../core/plan.ts';
import { isTerminal, JOB_STATES, type JobState } from '../core/states.ts';
import { apply, readLoaded } from './apply.ts';
import { auditRefusal } from './audit.ts';
import { contextOf, type Engine, planFor } from './engine.ts';
import { goOn } from './go-on.ts';
import type { Viewer } from './inspect.ts';

export interface MigrateRequest {
  readonly viewer: Viewer;
  readonly workflowType: string;
  readonly from: number;
  readonly to: number;
  readonly dryRun: boolean;
  readonly reason: string;
}

export interface MigrateReport {
  /** Moved; in a dry run, those that could be. */
  readonly migrated: number;
  readonly refused: readonly { readonly jobId: JobId; readonly why: string }[];
  /** There are more than one request looks at: ask again. */
  readonly more: boolean;
}

export type MigrateResult =
  | ({ readonly kind: 'done' } & MigrateReport)
  | { readonly kind: 'refused'; readonly code: 'ORCH_FORBIDDEN' | 'ORCH_UNKNOWN_WORKFLOW'; readonly detail: string };

export async function migrate(engine: Engine, request: MigrateRequest): Promise<MigrateResult> {
  const { viewer, workflowType, from, to, reason } = request;
  const refuse = async (code: 'ORCH_FORBIDDEN' | 'ORCH_UNKNOWN_WORKFLOW', detail: string): Promise<MigrateResult> => {
    const attempt = {
      actor: `operator:${viewer.callerId}`,
      action: 'migrate',
      subject: workflowType,
      jobId: null,
      reason,
    };
    await auditRefusal(engine, attempt, code, detail);
    return { kind: 'refused', code, detail };
  };
  if (viewer.role !== 'operator') return refuse('ORCH_FORBIDDEN', 'this needs the role operator');
  const [old, next] = [engine.plans.find(workflowType, from), engine.plans.find(workflowType, to)];
  if (old === undefined || next === undefined) {
    const lacking = old === undefined ? from : to;
    return refuse('ORCH_UNKNOWN_WORKFLOW', `this deployment has no version ${lacking} of ${workflowType}: deploy both`);
  }
  return { kind: 'done', ...(await moveAll(engine, request, next)) };
}

const RUNNING: readonly JobState[] = JOB_STATES.filter((state) => !isTerminal(state));

async function moveAll(engine: Engine, request: MigrateRequest, to: WorkflowPlan): Promise<MigrateReport> {
  const { jobs, more } = await running(engine, request);
  let migrated = 0;
  const refused: MigrateReport['refused'][number][] = [];
  for (const jobId of jobs) {
    const why = await move(engine, request, jobId, to);
    if (why === null) migrated += 1;
    else refused.push({ jobId, why });
  }
  return { migrated, refused, more };
}

async function running(
  engine: Engine,
  { workflowType, from }: MigrateRequest,
): Promise<{ readonly jobs: readonly JobId[]; readonly more: boolean }> {
  const jobs: JobId[] = [];
  const every = { callerId: null, workflowType, correlationId: null, from: null, to: null } as const;
  for (const state of RUNNING) {
    let after = null;
    do {
      const page = await engine.ports.jobs.list({ ...every, state, limit: LIMITS.listLimitMax, after });
      jobs.push(...page.items.filter((job) => job.workflowVersion === from).map(({ jobId }) => jobId));
      if (jobs.length > LIMITS.migrateJobsMax) return { jobs: jobs.slice(0, LIMITS.migrateJobsMax), more: true };
      after = page.next;
    } while (after !== null);
  }
  return { jobs, more: false };
}

/** Moves one job, or in a dry run only asks; null when it could, else why not. */
async function move(
  engine: Engine,
  { viewer, reason, dryRun, from }: MigrateRequest,
  jobId: JobId,
  to: WorkflowPlan,
): Promise<string | null> {
  const event = { type: 'migrate', to, actor: `operator:${viewer.callerId}`, reason, expectedRevision: null } as const;
  if (dryRun) {
    const job = await readLoaded(engine, jobId);
    const plan = job === null ? undefined : planFor(engine.plans, job);
    if (job === null || plan === undefined) return 'its definition is not here';
    if (job.workflowVersion !== from) return null;
    const decision = decide(job, event, plan, contextOf(engine));
    return decision.status === 'refused' ? decision.detail : null;
  }
  const applied = await apply(engine, jobId, () => event);
  switch (applied.status) {
    case 'changed':
      await goOn(engine, applied.job);
      return null;
    case 'refused':
      return applied.detail;
    case 'ignored':
      return applied.reason === 'duplicate' ? null : applied.reason;
    case 'missing':
      return 'it is gone';
  }
}
