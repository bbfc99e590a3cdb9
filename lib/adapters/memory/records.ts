/**
 * The small stores in memory: values, claims, dead letters. Records are kept as text, so nobody shares them.
 */
import type { EpochMs } from '../../core/ids.ts';
import { checkedValue } from '../../core/value-check.ts';
import type {
  AuditRecord,
  AuditStore,
  ClaimStore,
  DeadLetter,
  DeadLetterQuery,
  DeadLetterStore,
  ValueStore,
} from '../../ports.ts';
import { pageOf } from './page.ts';

export function memoryValues(): ValueStore {
  const texts = new Map<string, string>();
  const keyOf = (jobId: string, hash: string): string => `${jobId}#${hash}`;
  return {
    put: async (jobId, hash, text) => {
      const key = keyOf(jobId, hash);
      if (!texts.has(key)) texts.set(key, text);
    },
    get: async (jobId, hash) => {
      const text = texts.get(keyOf(jobId, hash));
      return text === undefined ? null : checkedValue(jobId, hash, text);
    },
  };
}

export function memoryClaims(): ClaimStore {
  const starts = new Map<string, EpochMs>();
  return {
    claim: async (intent, now, windowMs) => {
      const held = starts.get(intent);
      if (held !== undefined && now - held < windowMs) return held;
      starts.set(intent, now);
      return now;
    },
  };
}

export function memoryDeadLetters(): DeadLetterStore {
  const texts = new Map<string, string>();
  const get = (deadLetterId: string): DeadLetter | null => {
    const text = texts.get(deadLetterId);
    return text === undefined ? null : JSON.parse(text);
  };
  const set = (record: DeadLetter): void => {
    texts.set(record.deadLetterId, JSON.stringify(record));
  };
  return {
    put: async (record) => {
      const stored = get(record.deadLetterId);
      if (stored === null) return set(record);
      if (record.seq < stored.seq) return;
      const { status, settlement, quarantinedAt } = stored;
      set({ ...record, status, settlement, quarantinedAt });
    },
    settle: async (deadLetterId, settlement) => {
      const stored = get(deadLetterId);
      if (stored === null || stored.settlement !== null) return stored;
      set({ ...stored, status: settlement.status, settlement });
      return get(deadLetterId);
    },
    get: async (deadLetterId) => get(deadLetterId),
    list: async (query) => {
      const records = [...texts.keys()].flatMap((id) => {
        const record = get(id);
        return record !== null && matches(record, query) ? [record] : [];
      });
      const positioned = records.map((record) => ({ record, createdAt: record.quarantinedAt, jobId: record.jobId }));
      const page = pageOf(positioned, query);
      return { items: page.items.map(({ record }) => record), next: page.next };
    },
  };
}

/** The text, and what it is looked for by. */
interface KeptAudit extends Pick<AuditRecord, 'jobId' | 'actor'> {
  readonly text: string;
}

export function memoryAudit(): AuditStore {
  const kept = new Map<string, KeptAudit>();
  return {
    put: async (record) => {
      const { auditId, jobId, actor } = record;
      if (!kept.has(auditId)) kept.set(auditId, { jobId, actor, text: JSON.stringify(record) });
    },
    list: async (query) => {
      const { jobId, actor } = query;
      const found = [...kept.values()]
        .filter((one) => (jobId === null || one.jobId === jobId) && (actor === null || one.actor === actor))
        .map(recordIn);
      const positioned = found.map((record) => ({ record, createdAt: record.at, jobId: record.auditId }));
      const page = pageOf(positioned, query);
      return { items: page.items.map(({ record }) => record), next: page.next };
    },
  };
}

function recordIn({ text }: KeptAudit): AuditRecord {
  return JSON.parse(text);
}

function matches(record: DeadLetter, query: DeadLetterQuery): boolean {
  return (
    (query.callerId === null || record.callerId === query.callerId) &&
    (query.reason === null || record.reason === query.reason) &&
    (query.workflowType === null || record.workflowType === query.workflowType) &&
    (query.status === null || record.status === query.status)
  );
}
