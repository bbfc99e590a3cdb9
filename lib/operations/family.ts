/**
 * What passes between a parent and its children: whether a child may begin, and how it has ended. The items are the
 * truth, read consistently; messages only make it soon.
 */
import type { Admission, ChildReport } from '../core/events.ts';
import type { Job } from '../core/job.ts';
import { isTerminal } from '../core/states.ts';
import type { Engine } from './engine.ts';

/** What its parent says to a child that has not begun; undefined for every other job. */
export async function admissionOf({ ports }: Engine, job: Job): Promise<Admission | undefined> {
  const { parentJobId, child } = job.lineage;
  if (job.state !== 'PENDING' || child === undefined || parentJobId === undefined) return undefined;
  const parent = await ports.jobs.read(parentJobId);
  if (parent === null || isTerminal(parent.state) || parent.state === 'COMPENSATING') return 'stop';
  const step = parent.steps.find(({ name, round }) => name === child.step && round === child.round);
  if (step?.status !== 'waiting' || step.children === null || step.children.stoppedTo !== null) return 'stop';
  return child.index < step.children.releasedTo ? 'start' : 'wait';
}

/** How it has ended, in its parent's terms; null for who has no parent, or has not ended. */
export function reportOf(job: Job): ChildReport | null {
  const { child, takesBack } = job.lineage;
  if (!isTerminal(job.state) || job.lineage.parentJobId === undefined) return null;
  const ok = job.state === 'COMPLETED';
  const code = job.state === 'CANCELLED' ? 'ORCH_CANCELLED' : (job.lastErrorCode ?? job.stoppedReason);
  const end = { ok, errorCode: ok ? null : (code ?? 'ORCH_OUTCOME_UNKNOWN') };
  if (child !== undefined) return { what: 'child', step: child.step, round: child.round, index: child.index, ...end };
  const [whole] = takesBack ?? [];
  if (whole === undefined || 'topic' in whole) return null;
  return { what: 'undo', step: whole.step, round: whole.round, attempt: whole.attempt, ...end };
}

/** Only makes it soon: the parent looks for what it is not told. */
export async function tellParent({ ports }: Engine, job: Job): Promise<void> {
  const report = reportOf(job);
  const { parentJobId } = job.lineage;
  if (report === null || parentJobId === undefined) return;
  try {
    await ports.family.report(parentJobId, report);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    ports.log.write('warn', 'report_delayed', { job_id: job.jobId, error: name });
  }
}
