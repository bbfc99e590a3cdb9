/** One job as text: where it stands, why, what of it may still be applied, and what can be typed next. */
import type { Job } from '../client/index.ts';
import type { WireOpenEffect } from '../contract/wire-job.ts';
import type { WireStep } from '../contract/wire-step.ts';
import type { Screen } from './io.ts';
import { painter, toneOf } from './style.ts';
import { type Column, fields, table } from './table.ts';
import { clean, cleanJson, time } from './text.ts';

export function headline(screen: Screen, job: Job): string {
  const paint = painter(screen);
  const outcome = job.outcome === null ? '' : `  ${clean(job.outcome)}`;
  const state = paint(toneOf(job.current_state), clean(job.current_state));
  return `${paint('strong', clean(job.workflow_type))} ${clean(job.job_id)}  ${state}${outcome}\n`;
}

export function jobView(screen: Screen, job: Job): string {
  const { support } = job;
  return [
    headline(screen, job),
    support === undefined ? '' : `${clean(support.summary)}\n`,
    '\n',
    fields(screen, facts(job)),
    '\n',
    stepTable(screen, job.steps),
    section(screen, 'open effects', effectTable(screen, job.open_effects)),
    section(screen, 'what happened last', errorTable(screen, job)),
    section(screen, 'input', document(job.input)),
    section(screen, 'output', document(job.output ?? undefined)),
    section(screen, 'what can be done', nextSteps(job)),
  ].join('');
}

function facts(job: Job): (readonly [string, string])[] {
  const { stopped_reason, last_error_code, last_error_message } = job;
  const cause = [last_error_code, last_error_message].filter((part) => part !== null).join(': ');
  return [
    ['stopped', stopped_reason ?? ''],
    ['cause', cause],
    ['created', time(job.created_at)],
    ['updated', time(job.updated_at)],
    ['next action', time(job.next_action_at)],
    ['deadline', time(job.deadline_at)],
    ['retries', job.retry_count === 0 ? '' : `${job.retry_count} of ${job.max_retries}`],
    ['version', String(job.workflow_version)],
    ['caller', job.caller_id],
    ['came by', job.source],
    ['key', job.idempotency_key],
    ['correlation', job.correlation_id === job.job_id ? '' : job.correlation_id],
    ['trace', job.trace_context.traceparent],
    ['replay of', job.replay_of ?? ''],
    ['replayed by', job.replayed_by.join(', ')],
    ['undoes an effect of', job.recovery_of ?? ''],
    ['undone by', job.undone_by ?? ''],
  ];
}

const STEP_COLUMNS: readonly Column<WireStep>[] = [
  { head: 'step', cell: ({ step }) => step },
  { head: 'stage', cell: ({ stage }) => String(stage ?? '') },
  { head: 'status', cell: ({ status }) => status, tone: ({ status }) => toneOf(status) },
  { head: 'attempts', cell: ({ attempts }) => String(attempts) },
  { head: 'topic', cell: ({ topic }) => topic ?? '' },
  { head: 'undo', cell: undoCell, gives: true },
  { head: 'error', cell: ({ error_code, compensation }) => compensation?.error_code ?? error_code ?? '', gives: true },
];

function undoCell({ compensation }: WireStep): string {
  if (compensation === null) return '';
  const { topic, status, attempts } = compensation;
  const tried = attempts > 1 ? `, attempt ${attempts}` : '';
  return `${topic} (${status === 'compensated' ? 'done' : status === 'compensating' ? `at work${tried}` : `failed${tried}`})`;
}

export function stepTable(screen: Screen, steps: readonly WireStep[]): string {
  if (steps.length === 0) return '  no steps\n';
  return table(screen, steps, STEP_COLUMNS, '  ');
}

export function effectTable(screen: Screen, effects: readonly WireOpenEffect[]): string {
  if (effects.length === 0) return '';
  const columns: readonly Column<WireOpenEffect>[] = [
    { head: 'step', cell: ({ step }) => step },
    { head: 'stands', cell: ({ state }) => STANDS[state], tone: () => 'attention' },
    { head: 'since', cell: ({ since }) => time(since) },
    { head: 'operation', cell: ({ operation_id }) => operation_id },
  ];
  return table(screen, effects, columns, '  ');
}

const STANDS: Readonly<Record<WireOpenEffect['state'], string>> = {
  applied: 'applied',
  unknown: 'in doubt',
  undo_failed: 'applied, undo failed',
};

const ERRORS_SHOWN = 5;

function errorTable(screen: Screen, { error_log }: Job): string {
  if (error_log.length === 0) return '';
  const columns: readonly Column<Job['error_log'][number]>[] = [
    { head: 'at', cell: ({ at }) => time(at) },
    { head: 'step', cell: ({ step }) => step ?? '' },
    { head: 'attempt', cell: ({ attempt }) => String(attempt) },
    { head: 'code', cell: ({ error_code }) => error_code, tone: () => 'bad' },
    { head: 'next try', cell: ({ next_attempt_at }) => time(next_attempt_at) },
    { head: 'message', cell: ({ message }) => message, gives: true },
  ];
  return table(screen, error_log.slice(-ERRORS_SHOWN), columns, '  ');
}

function document(value: unknown): string {
  if (value === undefined) return '';
  return `${cleanJson(value, 2)}\n`.replace(/^/gm, '  ').trimEnd().concat('\n');
}

export function section(screen: Screen, title: string, body: string): string {
  return body === '' ? '' : `\n${painter(screen)('strong', title)}\n${body}`;
}

/** The safe actions as they would be typed, which is what the next minute is about. */
function nextSteps(job: Job): string {
  const actions = job.support?.safe_actions ?? [];
  const lines = actions.map(({ action, step, resolution, needs }) => {
    const output = needs === undefined ? '' : ` --${needs} '…'`;
    const about = step === undefined ? '' : ` --step ${step} --as ${resolution}${output}`;
    return `  dacapo ${clean(`${action} ${job.job_id}${about}`)} --reason '…'\n`;
  });
  return lines.join('');
}
