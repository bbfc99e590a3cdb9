/** What people did and tried to do, and the interface's own description. */
import * as z from 'zod';
import { AUDIT_LIST, NO_PARAMETERS } from '../requests.ts';
import { auditRecord, page } from './answers.ts';
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
