/** One dead-letter record as text: what a person needs to judge the case without opening the job. */
import type { DeadLetter } from '../client/index.ts';
import type { WireHistoryEntry } from '../contract/wire-history.ts';
import type { WireErrorLogEntry, WireOpenEffect } from '../contract/wire-job.ts';
import type { Screen } from './io.ts';
import { effectTable, section } from './job-view.ts';
import { painter, toneOf } from './style.ts';
import { type Column, fields, table } from './table.ts';
import { clean, cleanJson, time } from './text.ts';

export function deadLetterView(screen: Screen, record: DeadLetter): string {
  const paint = painter(screen);
  const { workflow_type, dead_letter_id, status } = record;
  return [
    `${paint('strong', clean(workflow_type))} ${clean(dead_letter_id)}  ${paint(toneOf(status), clean(status))}\n`,
    fields(screen, facts(record)),
    section(screen, 'open effects', effectTable(screen, listAt<WireOpenEffect>(record, 'open_effects'))),
    section(screen, 'errors', rows(screen, listAt<WireErrorLogEntry>(record, 'error_log'), ERROR_COLUMNS)),
    section(screen, 'history', rows(screen, listAt<WireHistoryEntry>(record, 'state_history'), HISTORY_COLUMNS)),
    section(screen, 'payload', payload(record)),
  ].join('');
}

function facts(record: DeadLetter): (readonly [string, string])[] {
  const at = (name: string): string => (record[name] == null ? '' : String(record[name]));
  return [
    ['reason', record.reason],
    ['error', at('failure_error_code')],
    ['summary', at('failure_summary')],
    ['job', record.job_id],
    ['job ended as', at('final_state')],
    ['correlation', record.correlation_id === record.job_id ? '' : at('correlation_id')],
    ['since', time(record.quarantined_at)],
    ['can be replayed', record.replay_eligible ? 'yes' : 'no'],
    ['replayed by', record.replayed_by ?? ''],
    ['settled by', at('settled_by')],
    ['settled at', time(at('settled_at'))],
    ['because', at('settled_reason')],
  ];
}

const ERROR_COLUMNS: readonly Column<WireErrorLogEntry>[] = [
  { head: 'at', cell: ({ at }) => time(at) },
  { head: 'step', cell: ({ step }) => step ?? '' },
  { head: 'attempt', cell: ({ attempt }) => String(attempt) },
  { head: 'code', cell: ({ error_code }) => error_code, tone: () => 'bad' },
  { head: 'message', cell: ({ message }) => message, gives: true },
];

const HISTORY_COLUMNS: readonly Column<WireHistoryEntry>[] = [
  { head: 'at', cell: ({ occurred_at }) => time(occurred_at) },
  { head: 'to', cell: ({ to_state }) => to_state, tone: ({ to_state }) => toneOf(to_state) },
  { head: 'who', cell: ({ actor }) => actor },
  { head: 'why', cell: ({ transition_reason }) => transition_reason, gives: true },
];

/** The record is a stored document: what is no list in it is shown as none. */
function listAt<T>(record: DeadLetter, name: string): readonly T[] {
  const value = record[name];
  return Array.isArray(value) ? (value as unknown as readonly T[]) : [];
}

function rows<T>(screen: Screen, items: readonly T[], columns: readonly Column<T>[]): string {
  return items.length === 0 ? '' : table(screen, items, columns, '  ');
}

function payload({ payload: whole, payload_snapshot_ref }: DeadLetter): string {
  if (payload_snapshot_ref !== undefined) return `  stored apart as ${clean(String(payload_snapshot_ref))}\n`;
  return whole === undefined ? '' : `${cleanJson(whole, 2).replace(/^/gm, '  ')}\n`;
}
