/**
 * What a participant's answer means, as data: every status of the envelope's vocabulary, and whether the effect may
 * stand behind it. A body may say `code` and `applied`; those then decide for this attempt.
 */
import { cutText, type Json } from './json.ts';
import { LIMITS } from './limits.ts';

export type Answer = Success | { readonly kind: 'accepted' } | Failure;

export interface Success {
  readonly kind: 'success';
  readonly output: Json;
  /** On its way through a queue only: the output lies among the job's values, under this hash. */
  readonly storedAs?: string;
}

export interface Failure {
  readonly kind: 'failure';
  readonly code: string;
  readonly message: string;
  /** This attempt may have taken effect. */
  readonly mayHaveApplied: boolean;
  /** The participant keeps this operation from ever applying: a tombstone stands. */
  readonly fenced: boolean;
  readonly retryAfterMs: number;
  /** An undo that finds nothing has nothing to undo. */
  readonly notFound: boolean;
}

export interface StatusMeaning {
  readonly class: 'success' | 'accepted' | 'refused' | 'not_applied' | 'may_have_applied';
  readonly code: string | null;
}

export const STATUSES = {
  ok: { class: 'success', code: null },
  created: { class: 'success', code: null },
  updated: { class: 'success', code: null },
  deleted: { class: 'success', code: null },
  ignored: { class: 'success', code: null },
  accepted: { class: 'accepted', code: null },
  'validation-error': { class: 'refused', code: 'CONTRACT_VALIDATION_ERROR' },
  'bad-request': { class: 'refused', code: 'CONTRACT_BAD_REQUEST' },
  unauthorized: { class: 'refused', code: 'CONTRACT_UNAUTHORIZED' },
  forbidden: { class: 'refused', code: 'CONTRACT_FORBIDDEN' },
  'not-found': { class: 'refused', code: 'CONTRACT_NOT_FOUND' },
  conflict: { class: 'refused', code: 'CONTRACT_CONFLICT' },
  'not-implemented': { class: 'refused', code: 'CONTRACT_NOT_IMPLEMENTED' },
  'too-many-requests': { class: 'not_applied', code: 'EXT_THROTTLED' },
  timeout: { class: 'may_have_applied', code: 'EXT_TIMEOUT' },
  'service-unavailable': { class: 'may_have_applied', code: 'EXT_UNAVAILABLE' },
  'unexpected-error': { class: 'may_have_applied', code: 'EXT_UNEXPECTED' },
} as const satisfies Record<string, StatusMeaning>;

export type Status = keyof typeof STATUSES;

export function isStatus(text: string): text is Status {
  return Object.hasOwn(STATUSES, text);
}

export interface FailureHints {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly applied?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

export const REVOKED = 'CONTRACT_OPERATION_REVOKED';

/** A failure from its parts; absent hints mean what the defaults of `mayHaveApplied` say. */
export function failure(code: string, message: string, mayHaveApplied: boolean, retryAfterMs = 0): Failure {
  const fenced = code === REVOKED;
  return {
    kind: 'failure',
    code,
    message: cutText(message, LIMITS.errorMessageCharactersMax),
    mayHaveApplied: mayHaveApplied && !fenced,
    fenced,
    retryAfterMs,
    notFound: false,
  };
}

/** Reads one answer. A status outside the vocabulary tells nothing, so the effect may stand. */
export function readAnswer(status: string, body: Json, hints: FailureHints): Answer {
  const meaning: StatusMeaning = isStatus(status)
    ? STATUSES[status]
    : { class: 'may_have_applied', code: 'EXT_UNEXPECTED' };
  if (meaning.class === 'success') return { kind: 'success', output: body };
  if (meaning.class === 'accepted') return { kind: 'accepted' };
  const code = hints.code ?? meaning.code ?? 'EXT_UNEXPECTED';
  const applied = hints.applied ?? meaning.class === 'may_have_applied';
  const read = failure(code, hints.message ?? `the participant answered ${status}`, applied, hints.retryAfterMs ?? 0);
  return status === 'not-found' ? { ...read, notFound: true } : read;
}
