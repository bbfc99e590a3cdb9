/** dacapo as a service of the Benzene Cloud Service Profile. */
import * as z from 'zod';
import { healthShape, specShape } from '../benzene.ts';
import { envelopeRequest } from '../envelope.ts';
import { NO_PARAMETERS } from '../requests.ts';
import { type ApiOperation, answerOf } from './operation.ts';

const envelopeAnswer = z.object({
  statusCode: z.string(),
  isSuccessful: z.boolean(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

export const BENZENE_OPERATIONS: readonly ApiOperation[] = [
  {
    method: 'GET',
    path: '/benzene/health',
    id: 'readHealth',
    tag: 'benzene',
    summary: 'Ask whether dacapo can work',
    allowed: 'anyone',
    storeless: true,
    query: NO_PARAMETERS,
    answers: { 200: answerOf('It can.', healthShape), 503: answerOf('It cannot: a check failed.', healthShape) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'GET',
    path: '/benzene/spec',
    id: 'readSpec',
    tag: 'benzene',
    summary: 'Read the topics that it serves, derived from the definitions',
    allowed: 'caller',
    storeless: true,
    query: NO_PARAMETERS,
    answers: { 200: answerOf('The spec.', specShape) },
    problems: ['ORCH_MALFORMED_REQUEST'],
  },
  {
    method: 'POST',
    path: '/benzene/invoke',
    id: 'invoke',
    tag: 'benzene',
    summary: 'Call by the wire envelope',
    description:
      'Topics: `<workflow>:submit` for each workflow, `benzene:healthcheck`, `benzene:mesh`. The answer is an envelope, refusals included.',
    allowed: 'caller',
    query: NO_PARAMETERS,
    body: envelopeRequest,
    answers: { 200: answerOf('The envelope of the answer.', envelopeAnswer) },
    problems: ['ORCH_MALFORMED_REQUEST', 'ORCH_PAYLOAD_TOO_LARGE'],
  },
];
