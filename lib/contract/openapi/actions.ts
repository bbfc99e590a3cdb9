/** What people do to jobs. Each names a reason, which stays in the history; refused attempts are kept too. */
import type * as z from 'zod';
import { ACTION, APPROVE, FORCE_CLOSE, RESOLVE } from '../action-requests.ts';
import { NO_PARAMETERS } from '../requests.ts';
import { job } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

function action(
  name: string,
  id: string,
  summary: string,
  body: z.ZodType,
  allowed: ApiOperation['allowed'] = 'operator',
): ApiOperation {
  return {
    method: 'POST',
    path: `/jobs/{job_id}/${name}`,
    id,
    tag: 'operator actions',
    summary,
    allowed,
    query: NO_PARAMETERS,
    body,
    answers: { 202: answerOf('Done; the job as it is now.', job, ['Location', 'traceparent']) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_JOB', 'ORCH_INVALID_STATE_TRANSITION', 'ORCH_PAYLOAD_TOO_LARGE'],
  };
}

export const ACTION_OPERATIONS: readonly ApiOperation[] = [
  action('cancel', 'cancelJob', 'Stop a job and take it back', ACTION, 'caller'),
  action('resume', 'resumeJob', 'Let a stopped job go on', ACTION),
  action('retry-compensation', 'retryCompensation', 'Try undos that failed again', ACTION),
  action('approve', 'approveStep', 'Decide in place of the person who is asked', APPROVE),
  action('resolve', 'resolveStep', 'Say what became of an effect', RESOLVE),
  action('close', 'closeJob', 'End a job that has nothing open', ACTION),
  action('force-close', 'forceCloseJob', 'End a job and leave its effects behind', FORCE_CLOSE),
];
