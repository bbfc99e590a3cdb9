/** Definitions: which workflows there are, and what each of their versions does. */
import * as z from 'zod';
import { MIGRATE } from '../action-requests.ts';
import { GRAPH_PARAMETERS, NO_PARAMETERS, VERSION_PARAMETER } from '../requests.ts';
import { graph, items, migration, workflowDetail, workflowSummary } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

export const WORKFLOW_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/workflows',
    id: 'listWorkflows',
    tag: 'workflows',
    summary: 'List the workflows',
    allowed: 'caller',
    storeless: true,
    query: NO_PARAMETERS,
    answers: { 200: answerOf('Every type with its versions.', items(workflowSummary)) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'GET',
    path: '/workflows/{type}',
    id: 'readWorkflow',
    tag: 'workflows',
    summary: 'Read a definition',
    allowed: 'caller',
    storeless: true,
    query: VERSION_PARAMETER,
    answers: { 200: answerOf('The definition.', workflowDetail) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_WORKFLOW'],
  },
  {
    method: 'GET',
    path: '/workflows/{type}/graph',
    id: 'drawWorkflow',
    tag: 'workflows',
    summary: "Draw a definition's saga",
    allowed: 'caller',
    storeless: true,
    query: GRAPH_PARAMETERS,
    answers: {
      200: {
        description: 'In the format asked for.',
        content: { 'application/json': graph, 'text/plain': z.string(), 'image/svg+xml': z.string() },
      },
    },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_WORKFLOW'],
  },
  {
    method: 'POST',
    path: '/workflows/{type}/migrate',
    id: 'migrateJobs',
    tag: 'workflows',
    summary: 'Move running jobs to another version',
    description:
      'Each job by itself: what has begun must be the same in both versions, else the job is told in `refused` and stays. ' +
      'With `dry_run` nothing is written. `more`: there are further jobs, ask again.',
    allowed: 'operator',
    query: NO_PARAMETERS,
    body: MIGRATE,
    answers: { 200: answerOf('What was moved, and what was not.', migration) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_UNKNOWN_WORKFLOW', 'ORCH_PAYLOAD_TOO_LARGE'],
  },
];
