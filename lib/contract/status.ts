/**
 * The status vocabulary of the Benzene envelope as participants see it: which statuses are successes, which answers
 * are final, and how they look over HTTP, both ways. The meaning of each to the orchestrator is in core/answers.
 */
import { isStatus, STATUSES, type Status, type StatusMeaning } from '../core/answers.ts';

export { isStatus, STATUSES, type Status };

const HTTP_OF_STATUS = {
  ok: 200,
  ignored: 200,
  created: 201,
  accepted: 202,
  updated: 204,
  deleted: 204,
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'validation-error': 422,
  'too-many-requests': 429,
  'unexpected-error': 500,
  'not-implemented': 501,
  'service-unavailable': 503,
  timeout: 504,
} as const satisfies Record<Status, number>;

/** The way back is not the same table: 200 and 204 stand for several statuses, 408 and 502 for none of ours. */
const STATUS_OF_HTTP = new Map<number, Status>([
  [200, 'ok'],
  [201, 'created'],
  [202, 'accepted'],
  [204, 'deleted'],
  [400, 'bad-request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'timeout'],
  [409, 'conflict'],
  [422, 'validation-error'],
  [429, 'too-many-requests'],
  [501, 'not-implemented'],
  [502, 'service-unavailable'],
  [503, 'service-unavailable'],
  [504, 'timeout'],
]);

/** `isSuccessful` decides only for statuses outside the vocabulary. */
export function httpOfStatus(status: string, isSuccessful = false): number {
  if (isStatus(status)) return HTTP_OF_STATUS[status];
  return isSuccessful ? 200 : 500;
}

export function statusOfHttp(http: number): Status {
  return STATUS_OF_HTTP.get(http) ?? 'unexpected-error';
}

export function isSuccess(status: string): boolean {
  return classOf(status) === 'success' || classOf(status) === 'accepted';
}

/** A success or a refusal: the same operation would be answered the same way for ever. */
export function isFinal(status: string): boolean {
  return isSuccess(status) || classOf(status) === 'refused';
}

function classOf(status: string): StatusMeaning['class'] | null {
  return isStatus(status) ? STATUSES[status].class : null;
}
