/** Pauses: seen, made and released by operators. */
import { PAUSE, RELEASE_PAUSE } from '../action-requests.ts';
import { NO_PARAMETERS } from '../requests.ts';
import { items, pause, releasedPause } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

export const PAUSE_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/pauses',
    id: 'listPauses',
    tag: 'pauses',
    summary: 'List what is held back, and what was released since yesterday',
    allowed: 'operator',
    query: NO_PARAMETERS,
    answers: { 200: answerOf('Newest first.', items(pause)) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'POST',
    path: '/pauses',
    id: 'pause',
    tag: 'pauses',
    summary: 'Hold back every call to a topic or dependency, or every further step of a workflow or caller',
    description: 'What is paused already stays as it is. Submits are still accepted: their jobs wait.',
    allowed: 'operator',
    query: NO_PARAMETERS,
    body: PAUSE,
    answers: { 200: answerOf('The pause.', pause) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_PAYLOAD_TOO_LARGE'],
  },
  {
    method: 'POST',
    path: '/pauses/{id}/release',
    id: 'releasePause',
    tag: 'pauses',
    summary: 'Let what waits go on, so many jobs a second',
    description:
      'With `dry_run` nothing changes and `would_release` says how many jobs wait. A release of which too many calls fail stops by itself: the pause is active again and `stopped_reason` says why.',
    allowed: 'operator',
    query: NO_PARAMETERS,
    body: RELEASE_PAUSE,
    answers: { 200: answerOf('The pause, as it is now.', releasedPause) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_NOT_FOUND', 'ORCH_INVALID_STATE_TRANSITION', 'ORCH_PAYLOAD_TOO_LARGE'],
  },
];
