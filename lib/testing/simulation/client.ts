/**
 * A caller: submits, and asks again under the same key when no answer comes. What it is told is kept, to be held
 * against what there is.
 */
import type { Job } from '../../core/job.ts';
import type { Json } from '../../core/json.ts';
import { fingerprint } from '../../core/json.ts';
import { hintFor } from '../../operations/hint.ts';
import { type SubmitResult, submit } from '../../operations/submit.ts';
import type { World } from './world.ts';

export interface Order {
  readonly callerId: string;
  readonly workflowType: string;
  readonly version: number | null;
  readonly input: Json;
  /** null: without one. */
  readonly key: string | null;
}

export interface Told {
  readonly order: Order;
  readonly result: SubmitResult;
}

const PATIENCE_MS = 30_000;
const TRIES_MAX = 5;

export function placeOrder(world: World, order: Order, told: Told[], tries = 1): void {
  const { callerId, workflowType, version, input, key } = order;
  world.start(
    'submit',
    null,
    async (engine) => {
      const result = await submit(engine, {
        callerId,
        source: 'api',
        workflowType,
        version,
        input,
        idempotencyKey: key,
        correlationId: null,
        trace: null,
      });
      if (result.kind === 'refused') return result;
      // The job is due by itself; a hint that fails is no reason to answer less than the truth.
      await engine.ports.queue.send('dispatch', hintFor(result.job), 0).catch(() => undefined);
      return result;
    },
    (ending) => {
      if (ending.end === 'done') told.push({ order, result: ending.value });
      else if (tries < TRIES_MAX) world.time.soon(PATIENCE_MS, () => placeOrder(world, order, told, tries + 1));
    },
  );
}

/** I12: every job comes from an order, or from another job; no two come from the same. */
export function brokenOrigins({ jobs }: World, orders: readonly { readonly order: Order }[]): string[] {
  const origins = new Map<string, string>();
  const found: string[] = [];
  for (const job of jobs.values()) {
    const origin = originOf(job, orders);
    const other = origins.get(origin ?? '');
    const ancestor = job.lineage.replayOf ?? job.lineage.recoveryOf ?? job.lineage.rerunOf;
    if (origin === null || (ancestor !== undefined && !jobs.has(ancestor)))
      found.push(`I12 ${job.jobId} comes from nowhere`);
    else if (other !== undefined) found.push(`I12 ${job.jobId} and ${other} both come from ${origin}`);
    else origins.set(origin, job.jobId);
  }
  return found;
}

/** null: from nowhere. */
function originOf(job: Job, orders: readonly { readonly order: Order }[]): string | null {
  const { callerId, workflowType, idempotencyKey, lineage } = job;
  const { replayOf, recoveryOf, rerunOf, undoes } = lineage;
  if (replayOf !== undefined) return `replay of ${replayOf}`;
  if (undoes !== undefined) return `undo ${undoes.step} ${undoes.round} ${undoes.generation} of ${recoveryOf}`;
  if (rerunOf !== undefined) return `rerun of ${rerunOf}`;
  const isOrdered = orders.some(
    ({ order }) =>
      order.callerId === callerId &&
      order.workflowType === workflowType &&
      (order.key === null ? idempotencyKey.startsWith('auto:') : order.key === idempotencyKey),
  );
  return isOrdered ? `${callerId} ${workflowType} ${idempotencyKey}` : null;
}

/** I9: one key, one job, one answer; another payload under it is a conflict. */
export function brokenAnswers(world: World, told: readonly Told[]): string[] {
  const created = new Map<string, number>();
  const found: string[] = [];
  for (const { order, result } of told) {
    const print = fingerprint(order.input);
    if (result.kind === 'refused') {
      const job = result.jobId === null ? undefined : world.jobs.get(result.jobId);
      const isConflict = result.code === 'ORCH_DUPLICATE_IDEMPOTENCY_KEY' && job?.inputFingerprint !== print;
      // While a deployment is under way, some do not know the new version yet.
      const isUnknown = result.code === 'ORCH_UNKNOWN_WORKFLOW' && (order.version ?? 0) > 1;
      if (!isConflict && !isUnknown) found.push(`I9 ${result.code} for ${JSON.stringify(order)}`);
      continue;
    }
    const job = world.jobs.get(result.job.jobId);
    if (job === undefined) found.push(`I1 ${result.job.jobId} was accepted and is not there`);
    else if (job.inputFingerprint !== print) found.push(`I9 ${job.jobId} has another payload than was accepted`);
    if (job !== undefined && job.callerId !== order.callerId)
      found.push(`I13 ${order.callerId} was given a job of ${job.callerId}`);
    if (result.kind === 'created') created.set(result.job.jobId, (created.get(result.job.jobId) ?? 0) + 1);
  }
  for (const [jobId, times] of created) if (times > 1) found.push(`I9 ${jobId} was created ${times} times`);
  return found;
}
