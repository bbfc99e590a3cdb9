/**
 * What a refusal looks like on the wire: RFC 9457 `application/problem+json`.
 * The code decides the status; callers branch on `code`, people read `detail`, which says what to do next.
 */
import { ERRORS, httpStatusOf, isErrorCode, prefixOf } from '../core/errors.ts';
import type { FieldError } from '../core/plan.ts';
import type { WireOpenEffect } from './wire-job.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly job_id?: string;
  readonly errors?: readonly FieldError[];
  readonly open_effects?: readonly WireOpenEffect[];
}

export interface ProblemExtras {
  readonly jobId?: string | null;
  readonly errors?: readonly FieldError[];
  readonly openEffects?: readonly WireOpenEffect[];
  /** When the status follows from something else than the code itself. */
  readonly status?: number;
}

/** What codes mean that participants made up, by the only thing known about them: their prefix. */
const PREFIX_TITLES: Readonly<Record<string, string>> = {
  CONTRACT_: 'the participant refused the shape of the request',
  LEGAL_: 'a law or a business rule forbids it',
  DQ_: 'the quality of the data does not allow it',
  EXT_: 'an outside dependency failed',
  ORCH_RETRYABLE_: 'the orchestrator failed for the moment',
  ORCH_: 'the orchestrator refused',
};

export function problemOf(code: string, detail: string, extras: ProblemExtras = {}): Problem {
  return {
    type: `urn:dacapo:error:${code}`,
    title: titleOf(code),
    status: extras.status ?? httpStatusOf(code),
    detail: cut(detail, DETAIL_CHARACTERS_MAX),
    code,
    ...(extras.jobId == null ? {} : { job_id: extras.jobId }),
    ...(extras.errors === undefined || extras.errors.length === 0 ? {} : { errors: shownErrors(extras.errors) }),
    ...(extras.openEffects === undefined || extras.openEffects.length === 0
      ? {}
      : { open_effects: extras.openEffects }),
  };
}

/** More places than anybody reads. A body of the size that is allowed can hold a million mistakes, each to be named. */
const ERRORS_MAX = 100;
const PATH_CHARACTERS_MAX = 500;
const DETAIL_CHARACTERS_MAX = 2_000;

function shownErrors(errors: readonly FieldError[]): FieldError[] {
  const first = errors.slice(0, ERRORS_MAX);
  return first.map(({ path, message }) => ({
    path: cut(path, PATH_CHARACTERS_MAX),
    message: cut(message, DETAIL_CHARACTERS_MAX),
  }));
}

function cut(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
}

export function titleOf(code: string): string {
  if (isErrorCode(code)) return ERRORS[code].meaning;
  return PREFIX_TITLES[prefixOf(code).prefix] ?? 'a failure with a code this orchestrator does not know';
}

/** Thrown where a request is read; whoever answers the request turns it into a problem. */
export class Refusal extends Error {
  readonly code: string;
  readonly extras: ProblemExtras;

  constructor(code: string, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = 'Refusal';
    this.code = code;
    this.extras = extras;
  }
}

export function malformed(detail: string, errors: readonly FieldError[] = []): Refusal {
  return new Refusal('ORCH_MALFORMED_REQUEST', detail, { errors });
}
