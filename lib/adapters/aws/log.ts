/**
 * One JSON line an event on stdout, where Lambda collects it. Only fields that are known to hold no payload, token or
 * key are written; a new one is named in `withheld` until it is on the list.
 */
import type { Json } from '../../core/json.ts';
import type { Log } from '../../ports.ts';

const FIELDS: ReadonlySet<string> = new Set([
  'attempts',
  'count',
  'error',
  'error_code',
  'failed',
  'function',
  'hops',
  'job_id',
  'kind',
  'overdue',
  'queue',
  'reason',
  'refiled',
  'request_id',
  'source',
  'state',
  'step',
  'target',
  'text',
  'topic',
  'where',
  'workflow_type',
  'workflow_version',
]);

/** A line is for reading, not for storing things in. */
const CHARACTERS_MAX = 1_000;

export function jsonLog(write: (line: string) => void = (line) => process.stdout.write(line)): Log {
  return {
    write: (level, event, fields) => {
      const names = Object.keys(fields);
      const withheld = names.filter((name) => !FIELDS.has(name));
      const shown = names.filter((name) => FIELDS.has(name)).map((name) => [name, plain(fields[name])]);
      const at = new Date().toISOString();
      const line = { at, level, event, ...Object.fromEntries(shown), ...(withheld.length === 0 ? {} : { withheld }) };
      write(`${JSON.stringify(line)}\n`);
    },
  };
}

function plain(value: Json | undefined): Json {
  if (typeof value === 'string') return value.slice(0, CHARACTERS_MAX);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
