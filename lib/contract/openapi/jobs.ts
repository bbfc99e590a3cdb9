/** Jobs: submit them, read them, list them. */
import * as z from 'zod';
import { BATCH } from '../batch.ts';
import { JOB_LIST, NO_PARAMETERS, VERSION_PARAMETER } from '../requests.ts';
import { anyJson } from '../schema.ts';
import { batchAnswer, historyEntry, items, job, jobWithSupport, page } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

/** A waiting caller is answered with the failing step's own error, so participants' codes come through. */
const ENDS = [
  'CONTRACT_INPUT_INVALID',
  'CONTRACT_NOT_FOUND',
  'CONTRACT_CONFLICT',
  'EXT_THROTTLED',
  'EXT_UNAVAILABLE',
  'EXT_TIMEOUT',
  'ORCH_CANCELLED',
  'ORCH_DEADLINE_EXCEEDED',
  'ORCH_OUTCOME_UNKNOWN',
] as const;

export const JOB_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'POST',
    path: '/workflows/{type}/jobs',
    id: 'submitJob',
    tag: 'jobs',
    summary: 'Submit a job',
    description:
      "The body is the workflow's input. The same key and payload again answers the job there is. With `Prefer: wait=n` " +
      'the answer is the end, when it comes in time: 201, or the error that ended it, once its rollback is through.',
    allowed: 'caller',
    query: VERSION_PARAMETER,
    headers: ['Idempotency-Key', 'Prefer', 'X-Correlation-Id', 'traceparent', 'tracestate'],
    body: anyJson,
    answers: {
      200: answerOf('The job of an earlier submit, which has ended.', job, [
        'Location',
        'Idempotency-Replayed',
        'traceparent',
      ]),
      201: answerOf('Waited for, and complete.', job, [
        'Location',
        'Idempotency-Replayed',
        'Preference-Applied',
        'traceparent',
      ]),
      202: answerOf('Stored; it runs, or will.', job, [
        'Location',
        'Idempotency-Replayed',
        'Preference-Applied',
        'traceparent',
      ]),
    },
    problems: [
      'ORCH_MALFORMED_REQUEST',
      'ORCH_UNKNOWN_WORKFLOW',
      'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
      'ORCH_PAYLOAD_TOO_LARGE',
      ...ENDS,
    ],
  },
  {
    method: 'POST',
    path: '/workflows/{type}/jobs:batch',
    id: 'submitBatch',
    tag: 'jobs',
    summary: 'Submit up to 100 jobs',
    description:
      'Each item is a submit of its own, with its own answer; one that is refused leaves the others as they are.',
    allowed: 'caller',
    query: NO_PARAMETERS,
    headers: ['traceparent', 'tracestate'],
    body: BATCH,
    answers: { 200: answerOf('One answer an item, in order.', batchAnswer) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_PAYLOAD_TOO_LARGE'],
  },
  {
    method: 'GET',
    path: '/jobs',
    id: 'listJobs',
    tag: 'jobs',
    summary: 'List jobs, newest first',
    description: 'Submitters see their own. A list may lag behind the jobs by a moment.',
    allowed: 'caller',
    query: JOB_LIST,
    answers: { 200: answerOf('A page.', page(job)) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'GET',
    path: '/jobs/{job_id}',
    id: 'readJob',
    tag: 'jobs',
    summary: 'Read a job',
    description: 'Opens with `support`: what is confirmed, what is pending, and what may safely be done.',
    allowed: 'caller',
    query: NO_PARAMETERS,
    answers: {
      200: {
        description: 'The job; as text for a terminal when that is asked for.',
        content: { 'application/json': jobWithSupport, 'text/plain': z.string() },
      },
    },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_JOB'],
  },
  {
    method: 'GET',
    path: '/jobs/{job_id}/history',
    id: 'readHistory',
    tag: 'jobs',
    summary: "Read a job's whole history, oldest first",
    allowed: 'caller',
    query: NO_PARAMETERS,
    answers: { 200: answerOf('Every entry.', items(historyEntry)) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_JOB'],
  },
];
