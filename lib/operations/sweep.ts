/**
 * The watchdog's run: whatever is overdue gets a driver again, whoever lost it. One bad job never keeps the others
 * from being looked at; what fails is looked at again next time.
 */
import type { DriverKind } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { driverKindOf, owesNews } from '../core/schedule.ts';
import type { DueJob } from '../ports.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';

export interface SweepReport {
  readonly overdue: number;
  readonly refiled: number;
  readonly failed: number;
}

type Hint = (jobId: JobId, kind: DriverKind) => Promise<void>;

export async function sweep(engine: Engine, hint: Hint): Promise<SweepReport> {
  const { jobs, clock } = engine.ports;
  const report = { overdue: 0, refiled: 0, failed: 0 };
  const perShard = Math.ceil(LIMITS.sweepBatchMax / LIMITS.activeShards);
  for (let shard = 0; shard < LIMITS.activeShards; shard += 1) {
    for (const candidate of await jobs.due(shard, clock.now(), perShard)) {
      try {
        report[await look(engine, candidate, hint)] += 1;
      } catch (error) {
        report.failed += 1;
        const name = error instanceof Error ? error.name : 'unknown';
        engine.ports.log.write('error', 'sweep_item_failed', { job_id: candidate.jobId, error: name });
      }
    }
  }
  return report;
}

/** The index only finds candidates: what is done about one is decided on the job itself, read consistently. */
async function look(engine: Engine, candidate: DueJob, hint: Hint): Promise<'overdue' | 'refiled'> {
  const { clock, jobs } = engine.ports;
  if (candidate.nextActionAt !== null && candidate.nextActionAt > clock.now()) {
    const applied = await apply(engine, candidate.jobId, () => ({ type: 'refile' }));
    // A stopped job whose news did not get out has nothing due for long: a driver tells them now.
    if (applied.status !== 'ignored' || !owesNews(applied.job)) return 'refiled';
  }
  const job = await jobs.read(candidate.jobId);
  if (job !== null) await hint(job.jobId, driverKindOf(job));
  return 'overdue';
}
