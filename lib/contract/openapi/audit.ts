/** What people did and tried to do, and the interface's own description. */
import * as z from 'zod';
import { AUDIT_LIST, NO_PARAMETERS, TOPOLOGY_PARAMETERS } from '../requests.ts';
import { auditRecord, page, topology } from './answers.ts';
import { type ApiOperation, answerOf } from './operation.ts';

export const AUDIT_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/audit',
    id: 'listAudit',
    tag: 'audit',
    summary: 'List what people did and tried, newest first',
    allowed: 'operator',
    query: AUDIT_LIST,
    answers: { 200: answerOf('A page.', page(auditRecord)) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
];

export const TOPOLOGY_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/topology',
    id: 'readTopology',
    tag: 'topology',
    summary: 'See who calls whom',
    description:
      "Drawn from the viewer's newest jobs and laid over what the definitions declare: `observed`, `unobserved`, or `undeclared`, which is drift.",
    allowed: 'caller',
    query: TOPOLOGY_PARAMETERS,
    answers: {
      200: {
        description: 'In the format asked for.',
        content: { 'application/json': topology, 'text/plain': z.string(), 'image/svg+xml': z.string() },
      },
    },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
];

export const DOCUMENT_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'readOpenApi',
    tag: 'documents',
    summary: 'Read this document',
    allowed: 'caller',
    storeless: true,
    query: NO_PARAMETERS,
    answers: { 200: answerOf('OpenAPI 3.1.', z.looseObject({ openapi: z.string() })) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'GET',
    path: '/asyncapi.json',
    id: 'readAsyncApi',
    tag: 'documents',
    summary: 'Read what is sent and received as messages',
    allowed: 'caller',
    storeless: true,
    query: NO_PARAMETERS,
    answers: { 200: answerOf('AsyncAPI 3.0.', z.looseObject({ asyncapi: z.string() })) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
];
