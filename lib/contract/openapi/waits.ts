/** What is said to a job that waits: signals of its caller, answers of participants, decisions of people. */
import * as z from 'zod';
import { NO_PARAMETERS } from '../requests.ts';
import { anyJson } from '../schema.ts';
import { CALLBACK, DECISION } from '../wait-requests.ts';
import { job } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

const accepted = z.object({ accepted: z.literal(true) });
const asked = z.object({
  workflow_type: z.string(),
  step: z.string(),
  expires_at: z.string(),
  answer: z.object({ decision: z.string(), by: z.string(), comment: z.string() }),
});

const TOKENS = ['ORCH_TOKEN_INVALID', 'ORCH_TOKEN_STALE', 'ORCH_TOKEN_EXPIRED', 'ORCH_TOKEN_USED'] as const;
const byToken = { tag: 'waits', allowed: 'token', query: NO_PARAMETERS } as const;

export const WAIT_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'POST',
    path: '/jobs/{job_id}/signals/{name}',
    id: 'sendSignal',
    tag: 'waits',
    summary: 'Send a job the signal that it waits for, or will',
    description:
      'The body is what the step that waits for it declares. It needs an idempotency key: sent again under it, the ' +
      'signal is the same one. One that comes before its step is kept.',
    allowed: 'caller',
    query: NO_PARAMETERS,
    headers: ['Idempotency-Key'],
    body: anyJson,
    answers: { 202: answerOf('Taken in.', job, ['Location', 'Idempotency-Replayed', 'traceparent']) },
    problems: [
      'ORCH_MALFORMED_REQUEST',
      'ORCH_UNKNOWN_JOB',
      'ORCH_UNKNOWN_SIGNAL',
      'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
      'ORCH_INVALID_STATE_TRANSITION',
      'ORCH_PAYLOAD_TOO_LARGE',
      'CONTRACT_INPUT_INVALID',
    ],
  },
  {
    ...byToken,
    method: 'POST',
    path: '/callbacks/{token}',
    id: 'callBack',
    summary: 'Answer a call that was accepted before',
    description:
      'The token came with the call. It is good for one answer, of one attempt, for as long as the step waits.',
    body: CALLBACK,
    answers: { 202: answerOf('Taken in.', accepted) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_PAYLOAD_TOO_LARGE', 'CONTRACT_INPUT_INVALID', ...TOKENS],
  },
  {
    ...byToken,
    method: 'POST',
    path: '/callbacks/{token}/heartbeat',
    id: 'heartbeat',
    summary: 'Say that the work goes on',
    answers: { 202: answerOf('Heard.', accepted) },
    problems: ['ORCH_MALFORMED_REQUEST', ...TOKENS],
  },
  {
    ...byToken,
    method: 'GET',
    path: '/approvals/{token}',
    id: 'showApproval',
    summary: 'What a person is asked to approve',
    description: 'Looking decides nothing. A browser is shown a page with two buttons.',
    answers: {
      200: {
        description: 'What is asked, and how to answer.',
        content: { 'application/json': asked, 'text/html': z.string() },
      },
    },
    problems: ['ORCH_MALFORMED_REQUEST', ...TOKENS],
  },
  {
    ...byToken,
    method: 'POST',
    path: '/approvals/{token}',
    id: 'decideApproval',
    summary: 'Approve or decline',
    body: DECISION,
    answers: {
      202: {
        description: 'Taken down.',
        content: { 'application/json': accepted, 'text/html': z.string() },
      },
    },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_PAYLOAD_TOO_LARGE', ...TOKENS],
  },
];
