/** Dead letters: read, replayed or discarded, each by a named person with a reason. */
import { DISCARD, REPLAY } from '../action-requests.ts';
import { DEAD_LETTER_LIST, NO_PARAMETERS } from '../requests.ts';
import { deadLetter, job, page } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

export const DEAD_LETTER_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/dead-letters',
    id: 'listDeadLetters',
    tag: 'dead letters',
    summary: 'List dead letters, newest first',
    allowed: 'caller',
    query: DEAD_LETTER_LIST,
    answers: { 200: answerOf('A page.', page(deadLetter)) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'GET',
    path: '/dead-letters/{id}',
    id: 'readDeadLetter',
    tag: 'dead letters',
    summary: 'Read a dead letter',
    allowed: 'caller',
    query: NO_PARAMETERS,
    answers: { 200: answerOf('The record.', deadLetter) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_DEAD_LETTER'],
  },
  {
    method: 'POST',
    path: '/dead-letters/{id}/replay',
    id: 'replayDeadLetter',
    tag: 'dead letters',
    summary: 'Run it again as a new, linked job',
    description: 'With `input`, the replay runs on that instead. A second replay answers the job of the first.',
    allowed: 'operator',
    query: NO_PARAMETERS,
    body: REPLAY,
    answers: { 202: answerOf('The new job.', job, ['Location', 'traceparent']) },
    problems: [
      'ORCH_MALFORMED_REQUEST',
      'ORCH_UNKNOWN_DEAD_LETTER',
      'ORCH_DEAD_LETTER_REQUIRED',
      'ORCH_INVALID_STATE_TRANSITION',
      'ORCH_REPLAY_CONTEXT_MISSING',
      'ORCH_PAYLOAD_TOO_LARGE',
      'CONTRACT_INPUT_INVALID',
    ],
  },
  {
    method: 'POST',
    path: '/dead-letters/{id}/discard',
    id: 'discardDeadLetter',
    tag: 'dead letters',
    summary: 'Say that nothing more is to be done about it',
    allowed: 'operator',
    query: NO_PARAMETERS,
    body: DISCARD,
    answers: { 200: answerOf('The record, discarded.', deadLetter) },
    problems: [
      'ORCH_MALFORMED_REQUEST',
      'ORCH_UNKNOWN_DEAD_LETTER',
      'ORCH_INVALID_STATE_TRANSITION',
      'ORCH_PAYLOAD_TOO_LARGE',
    ],
  },
];
