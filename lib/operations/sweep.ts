/**
 * The watchdog's run: whatever is overdue gets a driver again, whoever lost it. One bad job never keeps the others
 * from being looked at; what fails is looked at again next time.
 */
import type { DriverKind } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { LIMITS } from '../core/limits.ts';
import { bucketOf, driverKindOf, owesNews } from '../core/schedule.ts';
import type { DueJob, DuePosition, Page } from '../ports.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';

export interface SweepReport {
  readonly overdue: number;
  readonly refiled: number;
  /** Not due yet and filed where they belong, or about to be looked at. */
  readonly waiting: number;
  readonly failed: number;
}

type Hint = (job: Job, kind: DriverKind) => Promise<void>;

/** @param isComing whether a driver will look at it anyway, as far as this process knows: then it is passed over */
export async function sweep(
  engine: Engine,
  hint: Hint,
  isComing: (jobId: JobId) => boolean = () => false,
): Promise<SweepReport> {
  const { jobs, clock } = engine.ports;
  const report = { overdue: 0, refiled: 0, waiting: 0, failed: 0 };
  const now = clock.now();
  const hintsPerShard = Math.ceil(LIMITS.sweepBatchMax / LIMITS.activeShards);
  for (let shard = 0; shard < LIMITS.activeShards; shard += 1) {
    const hintsBefore = report.overdue;
    let after: DuePosition | null = null;
    // Jobs that wait within the current bucket lie among the overdue ones: go on until the shard is through, or has
    // given its share of hints.
    do {
      const page: Page<DueJob, DuePosition> = await jobs.due({ shard, now, limit: LIMITS.sweepPage, after });
      for (const candidate of page.items) {
        report[isComing(candidate.jobId) ? 'waiting' : await lookSafely(engine, candidate, hint)] += 1;
      }
      after = page.next;
    } while (after !== null && report.overdue - hintsBefore < hintsPerShard);
  }
  return report;
}

async function lookSafely(engine: Engine, candidate: DueJob, hint: Hint): Promise<keyof SweepReport> {
  try {
    return await look(engine, candidate, hint);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('error', 'sweep_item_failed', { job_id: candidate.jobId, error: name });
    return 'failed';
  }
}

/** The index only finds candidates: what is done about one is decided on the job itself, read consistently. */
async function look(engine: Engine, candidate: DueJob, hint: Hint): Promise<'overdue' | 'refiled' | 'waiting'> {
  const { clock, jobs } = engine.ports;
  if (candidate.nextActionAt !== null && candidate.nextActionAt > clock.now()) {
    if (bucketOf(candidate.nextActionAt) <= clock.now()) return 'waiting';
    const applied = await apply(engine, candidate.jobId, () => ({ type: 'refile' }));
    // A stopped job whose news did not get out has nothing due for long: a driver tells them now.
    if (applied.status !== 'ignored' || !owesNews(applied.job)) return 'refiled';
  }
  const job = await jobs.read(candidate.jobId);
  if (job !== null) await hint(job, driverKindOf(job));
  return 'overdue';
}
