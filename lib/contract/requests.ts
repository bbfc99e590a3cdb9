/**
 * What the addresses of requests may say: ids and query parameters.
 * Unknown names are refused, never skipped: a misspelt filter would otherwise answer with everything. Each refusal says
 * where it stands and what to write there.
 */
import * as z from 'zod';
import { isJobId, type JobId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { PAUSE_SCOPES } from '../core/pause.ts';
import { JOB_STATES } from '../core/states.ts';
import { malformed } from './problem.ts';
import { refusalOf } from './refusal-of.ts';

export { JOB_STATES, PAUSE_SCOPES };

/** Why a job lies in quarantine, as records say it. */
export const DEAD_LETTER_REASONS = [
  'max_retries_exceeded',
  'unrecoverable_error',
  'compensation_failed',
  'invariant_broken',
  'poison_message',
] as const;
export const DEAD_LETTER_STATUSES = ['open', 'replayed', 'discarded'] as const;

/** Names of workflow types as they stand in addresses; what is no such name cannot be one. */
const TYPE_CHARACTERS_MAX = 100;
/** A role, a colon and a caller's id. */
const ACTOR_CHARACTERS_MAX = 250;
/** Nine digits hold any version a team will number, and stay exact. */
const VERSION_DIGITS = /^[1-9]\d{0,8}$/;

const instant = (name: string) =>
  z
    .string()
    .refine((text) => !Number.isNaN(parseInstant(text)), `${name}: write a time such as 2026-01-31T08:00:00.000Z`)
    .transform(parseInstant)
    .meta({ format: 'date-time' });

/** ISO 8601 with date, time and zone: a time without zone would mean another one on every machine. */
function parseInstant(text: string): number {
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
  return shape.test(text) ? Date.parse(text) : Number.NaN;
}

const shortText = (name: string, max: number) =>
  z.string().min(1, `${name}: write a value or leave it out`).max(max, `${name}: write at most ${max} characters`);

const oneOf = <const T extends readonly [string, ...string[]]>(name: string, words: T) =>
  z.enum(words, `${name}: write one of ${words.join(', ')}`);

export const limit = z
  .string()
  .refine(
    (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= LIMITS.listLimitMax,
    `limit: write a whole number from 1 to ${LIMITS.listLimitMax}`,
  )
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: LIMITS.listLimitMax })
  .default(LIMITS.listLimitDefault);
/** Longer than any cursor we make. */
export const cursor = shortText('cursor', 300);

export const NO_PARAMETERS = z.strictObject({});

export const VERSION_PARAMETER = z.strictObject({
  version: z
    .string()
    .regex(VERSION_DIGITS, 'version: write a whole number from 1')
    .transform(Number)
    .meta({ type: 'integer', minimum: 1 })
    .optional(),
});

const GRAPH_FORMATS = ['json', 'mermaid', 'svg'] as const;
export const GRAPH_PARAMETERS = VERSION_PARAMETER.extend({ format: oneOf('format', GRAPH_FORMATS).default('json') });

export const TOPOLOGY_PARAMETERS = z.strictObject({ format: oneOf('format', GRAPH_FORMATS).default('json') });

export const JOB_LIST = z
  .strictObject({
    state: oneOf('state', JOB_STATES).optional(),
    workflow_type: shortText('workflow_type', TYPE_CHARACTERS_MAX).optional(),
    correlation_id: shortText('correlation_id', LIMITS.correlationIdCharactersMax).optional(),
    from: instant('from').optional(),
    to: instant('to').optional(),
    limit,
    cursor: cursor.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    message: 'from: write a time that is not after to',
  });

export const DEAD_LETTER_LIST = z.strictObject({
  reason: oneOf('reason', DEAD_LETTER_REASONS).optional(),
  workflow_type: shortText('workflow_type', TYPE_CHARACTERS_MAX).optional(),
  status: oneOf('status', DEAD_LETTER_STATUSES).optional(),
  limit,
  cursor: cursor.optional(),
});

export const AUDIT_LIST = z.strictObject({
  job_id: z.string().refine(isJobId, 'job_id: write the id of a job').optional(),
  actor: shortText('actor', ACTOR_CHARACTERS_MAX).optional(),
  limit,
  cursor: cursor.optional(),
});

/** Parameters of an address that takes none. */
export function refuseParameters(parameters: URLSearchParams): void {
  readParameters(NO_PARAMETERS, parameters);
}

export function readVersion(parameters: URLSearchParams): number | null {
  return readParameters(VERSION_PARAMETER, parameters).version ?? null;
}

export function readGraphParameters(parameters: URLSearchParams) {
  return readParameters(GRAPH_PARAMETERS, parameters);
}

export function readTopologyParameters(parameters: URLSearchParams) {
  return readParameters(TOPOLOGY_PARAMETERS, parameters).format;
}

export function readJobList(parameters: URLSearchParams) {
  return readParameters(JOB_LIST, parameters);
}

export function readDeadLetterList(parameters: URLSearchParams) {
  return readParameters(DEAD_LETTER_LIST, parameters);
}

export function readAuditList(parameters: URLSearchParams) {
  return readParameters(AUDIT_LIST, parameters);
}

/** null when the text cannot be a job's id, so that no store needs to be asked. */
export function readJobId(text: string): JobId | null {
  return isJobId(text) ? text : null;
}

export function readDeadLetterId(text: string): string | null {
  return text.startsWith('d') && isJobId(text.slice(1)) ? text : null;
}

export function readParameters<T extends z.ZodType>(schema: T, parameters: URLSearchParams): z.output<T> {
  const found: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) {
    if (name in found)
      throw malformed(`parameter ${name}: stands twice, give it once`, [{ path: `?${name}`, message: 'stands twice' }]);
    found[name] = value;
  }
  const read = schema.safeParse({ ...found });
  if (read.success) return read.data;
  throw refusalOf('query', read.error, (path) => `?${path.join('.')}`);
}
