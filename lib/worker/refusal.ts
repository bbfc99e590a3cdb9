/**
 * How a handler says no, or says yes in other words than `ok`. Everything else it throws counts as a failure that it
 * could not explain.
 */
import { type EnvelopeResponse, problemResponse } from '../contract/envelope.ts';
import { isStatus, isSuccess } from '../contract/status.ts';

export interface RefusalDetails {
  /** `DQ_…`, `LEGAL_…`, `CONTRACT_…` for refusals, `EXT_…` for trouble that may pass. */
  readonly code?: string;
  /** One sentence: what is wrong and what to do. Made from `errors` when absent. */
  readonly detail?: string;
  /** Whether this attempt took effect. Leave it out only if you cannot know. */
  readonly applied?: boolean;
  readonly errors?: readonly { readonly message: string; readonly path?: string }[];
  readonly retryAfterSeconds?: number;
}

export class Refusal extends Error {
  readonly status: string;
  readonly details: RefusalDetails;

  constructor(status: string, details: RefusalDetails) {
    super(details.detail ?? joined(details) ?? `answered ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.details = details;
  }
}

/** A success with a status of its own: `reply('created', output)`. */
export class Reply<O> {
  readonly status: string;
  readonly output: O;

  constructor(status: string, output: O) {
    this.status = status;
    this.output = output;
  }
}

export function reply<O>(status: string, output: O): Reply<O> {
  if (isStatus(status) && !isSuccess(status)) throw new Error(`${status} is no success: throw a Refusal instead`);
  return new Reply(status, output);
}

/** `applied` is what the kit knows better than the handler. */
export function refused({ status, details, message }: Refusal, applied = details.applied): EnvelopeResponse {
  return problemResponse(status, { ...details, applied, detail: message });
}

/** What an error of a library says about the call, where that is known: give it to `host` as `explain`. */
export type Explain = (error: unknown) => Refusal | undefined;

/** A refusal speaks for itself, a call of the handler's own that ran out of time is known by its name. */
export function explained(error: unknown, explain: Explain | undefined): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const refusal = explain?.(error);
  if (refusal !== undefined) return refusal;
  const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  return late ? new Refusal('timeout', { code: 'EXT_TIMEOUT', detail: LATE }) : undefined;
}

const LATE = 'a call of the participant itself was given up; whether it took effect is not known';

/** Says nothing of what was thrown: its message may hold what nobody else should read. */
export function unexplained(applied?: boolean): EnvelopeResponse {
  const detail = 'the handler failed without an explanation; look into the log of the participant';
  return problemResponse('service-unavailable', { code: 'EXT_UNEXPECTED', applied, detail });
}

function joined({ errors }: RefusalDetails): string | undefined {
  if (errors === undefined || errors.length === 0) return undefined;
  return errors.map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`)).join(', ');
}
