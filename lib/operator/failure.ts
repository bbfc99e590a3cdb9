/** How a command that failed says so, and with which exit code. */
import { ProblemError, UnreachableError } from '../client/index.ts';
import type { Io } from './io.ts';
import { RefusedHere, UsageError } from './refusals.ts';
import { painter } from './style.ts';
import { clean, cleanJson } from './text.ts';

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export function report(io: Io, error: unknown, json: boolean): ExitCode {
  if (json) io.err.write(`${cleanJson({ error: documentOf(error) })}\n`);
  else io.err.write(textOf(io, error));
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

function documentOf(error: unknown): object {
  if (error instanceof ProblemError) return error.problem;
  const key = error instanceof UnreachableError ? { idempotency_key: error.idempotencyKey } : {};
  return { title: error instanceof Error ? error.name : 'Error', detail: messageOf(error), ...key };
}

function textOf({ err }: Io, error: unknown): string {
  const paint = painter(err);
  const line = (text: string): string => `${clean(text)}\n`;
  if (error instanceof ProblemError) {
    const { code, detail, errors = [], job_id } = error.problem;
    const places = errors.map(({ path, message }) => line(`  ${path}  ${message}`)).join('');
    const look = job_id === undefined ? '' : line(`  look: dacapo jobs show ${job_id}`);
    return `${paint('bad', clean(code))}: ${line(detail)}${places}${look}`;
  }
  const refused = error instanceof RefusedHere;
  const repeat =
    error instanceof UnreachableError && error.idempotencyKey !== null
      ? line(`  it may have arrived: submit again with --key ${error.idempotencyKey}, and nothing happens twice`)
      : '';
  return `${paint(refused ? 'attention' : 'bad', 'dacapo')}: ${line(messageOf(error))}${repeat}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
