/**
 * A dead-letter record as it is shown: its stored body, written when the job was quarantined or had news, under what
 * may have changed since without touching the body: whether it was replayed or discarded, and by whom.
 */
import type { EpochMs } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { isoTime } from './wire-time.ts';

/** As the store holds it. */
export interface StoredDeadLetter {
  readonly deadLetterId: string;
  readonly jobId: string;
  readonly workflowType: string;
  readonly reason: string;
  readonly status: 'open' | 'replayed' | 'discarded';
  readonly quarantinedAt: EpochMs;
  readonly body: JsonObject;
  readonly settlement: {
    readonly status: 'replayed' | 'discarded';
    readonly by: string;
    readonly reason: string;
    readonly at: EpochMs;
    readonly replayJobId: string | null;
  } | null;
}

export function wireDeadLetter(record: StoredDeadLetter): JsonObject {
  const quarantinedAt = isoTime(record.quarantinedAt);
  const { settlement } = record;
  return {
    replay_eligible: false,
    ...record.body,
    replayed_by: settlement?.replayJobId ?? null,
    discarded_by: settlement?.status === 'discarded' ? settlement.by : null,
    ...(settlement === null
      ? {}
      : { settled_by: settlement.by, settled_at: isoTime(settlement.at), settled_reason: settlement.reason }),
    dead_letter_id: record.deadLetterId,
    job_id: record.jobId,
    workflow_type: record.workflowType,
    reason: record.reason,
    quarantined_at: quarantinedAt,
    parked_at: quarantinedAt,
    status: record.status,
    ...(record.status === 'open' ? {} : { replay_eligible: false }),
  };
}
