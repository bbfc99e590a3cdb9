/**
 * Ties a dead letter and the job that it became together: the record is settled, the original names its replay, and the
 * audit tells who did it. Each part is made once however often it is repeated: by a second replay, or when the new job
 * has ended, should whoever made it have died before.
 */
import { deadLetterIdOf, isJobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import type { DeadLetter, Settlement } from '../ports.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';
import { findDeadLetter } from './quarantine.ts';
import { replayIdOf, settle, tellSettled } from './settle-dead-letter.ts';

/** Answers the record as it is then; another settlement may have come first. */
export async function link(engine: Engine, record: DeadLetter, settlement: Settlement): Promise<DeadLetter | null> {
  const settled = record.settlement === null ? await settle(engine, record, settlement) : record;
  if (settled?.settlement?.status !== 'replayed') return settled;
  const { replayJobId } = settled.settlement;
  if (replayJobId !== null) await apply(engine, record.jobId, () => ({ type: 'linked', replayedBy: replayJobId }));
  await tellSettled(engine, settled);
  return settled;
}

/** Of a replay that has ended. */
export async function finishLink(engine: Engine, replayed: Job): Promise<void> {
  const { replayOf } = replayed.lineage;
  const settlement = settlementOf(replayed);
  if (replayOf === undefined || !isJobId(replayOf) || settlement === null) return;
  const record = await findDeadLetter(engine, deadLetterIdOf(replayOf));
  if (record !== null && replayIdOf(record) === replayed.jobId) await link(engine, record, settlement);
}

/** Who asked for a replay, and why, stands in its first entry; null when that was stored apart long ago. */
export function settlementOf(replayed: Job): Settlement | null {
  const made = replayed.history[0];
  if (made?.seq !== 0) return null;
  const [by, reason] = [made.actor.replace(/^operator:/, ''), made.reason.replace(/^replay: /, '')];
  return { status: 'replayed', by, reason, at: made.at, replayJobId: replayed.jobId };
}
