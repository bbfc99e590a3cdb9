/**
 * One line of the audit as it is shown: who did or tried what, to what, why, and what came of it.
 */
import type { EpochMs } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { isoTime } from './wire-time.ts';

/** As the store holds it. */
export interface StoredAudit {
  readonly auditId: string;
  readonly at: EpochMs;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly jobId: string | null;
  readonly result: 'done' | 'refused';
  readonly reason: string;
  readonly errorCode: string | null;
  readonly detail: string | null;
}

export function wireAudit(record: StoredAudit): JsonObject {
  return {
    audit_id: record.auditId,
    at: isoTime(record.at),
    actor: record.actor,
    action: record.action,
    subject: record.subject,
    job_id: record.jobId,
    result: record.result,
    reason: record.reason,
    error_code: record.errorCode,
    detail: record.detail,
  };
}
