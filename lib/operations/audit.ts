/**
 * The list of what people did. Done actions are drawn from the history when it is published; refused ones, which
 * leave no trace in the job, are written here at once.
 */
import type { HistoryEntry, Job } from '../core/job.ts';
import type { AuditQuery, AuditRecord, ListPosition, Page } from '../ports.ts';
import type { Engine } from './engine.ts';

export function auditOf(job: Job, entry: HistoryEntry): AuditRecord {
  const [prefix = entry.reason] = entry.reason.split(':');
  return {
    auditId: `${job.jobId}.${entry.seq}`,
    at: entry.at,
    actor: entry.actor,
    // What was asked for has the same name whether it was done or refused.
    action: prefix === 'cancel_requested' ? 'cancel' : prefix,
    subject: job.jobId,
    jobId: job.jobId,
    result: 'done',
    reason: entry.reason.slice(prefix.length + 1).trim(),
    errorCode: null,
    detail: entry.evidence,
  };
}

export type Attempt = Pick<AuditRecord, 'actor' | 'action' | 'subject' | 'jobId' | 'reason'>;

/** An action that was refused is told too: who tried what, and why it was not done. */
export async function auditRefusal(engine: Engine, attempt: Attempt, code: string, detail: string): Promise<void> {
  const { audit, clock, ids } = engine.ports;
  const at = clock.now();
  await audit.put({ ...attempt, auditId: `refused.${ids.writeId()}`, at, result: 'refused', errorCode: code, detail });
}

/** An action that no job's history tells: about a dead letter. Its id makes a repetition harmless. */
export async function auditDone(engine: Engine, attempt: Attempt, auditId: string, at: number): Promise<void> {
  await engine.ports.audit.put({ ...attempt, auditId, at, result: 'done', errorCode: null, detail: null });
}

export function listAudit(engine: Engine, query: AuditQuery): Promise<Page<AuditRecord, ListPosition>> {
  return engine.ports.audit.list(query);
}
