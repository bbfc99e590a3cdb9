/**
 * From the catalogue to an OpenAPI 3.1 document. Invariant: nothing in it is written twice; requests are described by
 * the schemas that read them, statuses by the table of error codes.
 */
import * as z from 'zod';
import { ERRORS } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { capital, type Names, namedSchemas, ref, refTo } from '../named-schemas.ts';
import { anyJson } from '../schema.ts';
import * as answers from './answers.ts';
import {
  type Answer,
  type ApiOperation,
  problemsOf,
  type RequestHeader,
  type ResponseHeader,
  TAGS,
} from './operation.ts';

export interface DocumentSubject {
  /** Of the interface, not of the workflows behind it. */
  readonly version: string;
  readonly operations: readonly ApiOperation[];
  /** What each workflow takes, by type: shown as the bodies that a submit may have. */
  readonly inputs: Readonly<Record<string, z.ZodType>>;
}

export function openApiDocument({ version, operations, inputs }: DocumentSubject): JsonObject {
  const names = namesOf(operations, inputs);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method.toLowerCase()]: pathItem(operation, names, inputs),
    });
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'dacapo',
      version,
      summary: 'Business processes over several services: complete, or taken back to the beginning.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ caller: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: schemasOf(names), parameters: REQUEST_HEADERS, headers: RESPONSE_HEADERS, securitySchemes },
  };
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

/** Every schema that is worth a name of its own, so that it stands in the document once. */
function namesOf(operations: readonly ApiOperation[], inputs: DocumentSubject['inputs']): Names {
  const names = new Map<z.ZodType, string>([
    [anyJson, 'Json'],
    [answers.problem, 'Problem'],
    [answers.job, 'Job'],
    [answers.jobWithSupport, 'JobWithSupport'],
    [answers.historyEntry, 'HistoryEntry'],
    [answers.errorLogEntry, 'ErrorLogEntry'],
    [answers.openEffect, 'OpenEffect'],
    [answers.deadLetter, 'DeadLetter'],
    [answers.auditRecord, 'AuditRecord'],
  ]);
  const name = (schema: z.ZodType, text: string): void => void (names.has(schema) || names.set(schema, text));
  for (const [type, input] of Object.entries(inputs)) name(input, `${capital(type)}Input`);
  for (const { id, body, query, answers: told } of operations) {
    if (body !== undefined) name(body, `${capital(id)}Request`);
    if (query !== undefined) name(query, `${capital(id)}Query`);
    for (const [status, { content }] of Object.entries(told)) {
      const schema = content['application/json'];
      if (schema !== undefined) name(schema, `${capital(id)}Answer${status}`);
    }
  }
  return names;
}

function schemasOf(names: Names): JsonObject {
  // Query parameters stand where they are asked for.
  const worthAName = [...names].filter(([, name]) => !name.endsWith('Query'));
  return namedSchemas(new Map(worthAName));
}

function pathItem(operation: ApiOperation, names: Names, inputs: DocumentSubject['inputs']): object {
  const { id, tag, summary, description, body, headers = [], allowed } = operation;
  const parameters = [
    ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...queryParameters(operation),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  const isSubmit = id === 'submitJob';
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(allowed === 'anyone' || allowed === 'token' ? { security: [] } : {}),
    ...(allowed === 'operator' ? { 'x-role': 'operator' } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(isSubmit ? submitBody(names, inputs) : ref(names, body)) }),
    responses: { ...successes(operation.answers, names), ...problems(operation) },
  };
}

function queryParameters({ query }: ApiOperation): object[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function bodyOf(schema: object): object {
  return { required: true, content: { 'application/json': { schema } } };
}

/** Any of the workflows' inputs; which one, the type in the address says. */
function submitBody(names: Names, inputs: DocumentSubject['inputs']): object {
  const known = Object.values(inputs).map((input) => ref(names, input));
  return known.length === 0 ? ref(names, anyJson) : { anyOf: known };
}

function successes(told: Readonly<Record<number, Answer>>, names: Names): object {
  const all = Object.entries(told).map(([status, { description, content, headers = [] }]) => [
    status,
    {
      description,
      ...(headers.length === 0
        ? {}
        : { headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }),
      content: Object.fromEntries(
        Object.entries(content).map(([type, schema]) => [
          type,
          { schema: type === 'application/json' ? ref(names, schema) : { type: 'string' } },
        ]),
      ),
    },
  ]);
  return Object.fromEntries(all);
}

function problems(operation: ApiOperation): object {
  const told = [...problemsOf(operation)].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}.`).join(' '),
      ...(status === 429 || status === 503
        ? { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }
        : {}),
      content: { 'application/problem+json': { schema: { $ref: refTo('Problem') } } },
    },
  ]);
  return Object.fromEntries(told);
}

const header = (name: string, description: string, schema: object): object => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const REQUEST_HEADERS: Record<RequestHeader, object> = {
  'Idempotency-Key': header(
    'Idempotency-Key',
    'One key, one job, for each caller and workflow. Without it the same input within five minutes is the same job.',
    {
      type: 'string',
      minLength: 1,
      maxLength: LIMITS.idempotencyKeyCharactersMax,
      pattern: '^[\\x21-\\x7e]+$',
    },
  ),
  Prefer: header('Prefer', `\`wait=n\`: wait up to n seconds, at most ${LIMITS.preferWaitSecondsMax}, for the end.`, {
    type: 'string',
  }),
  'X-Correlation-Id': header('X-Correlation-Id', 'Goes with the job wherever it goes, and finds it again.', {
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.correlationIdCharactersMax,
    pattern: '^[\\x21-\\x7e]+$',
  }),
  traceparent: header('traceparent', 'W3C trace context: the job joins this trace.', { type: 'string' }),
  tracestate: header('tracestate', 'W3C trace context: carried along.', { type: 'string' }),
};

const RESPONSE_HEADERS: Record<ResponseHeader, object> = {
  Location: { description: 'Where the job is.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: '`true` when an earlier submit had made this job.',
    schema: { type: 'string' },
  },
  'Preference-Applied': { description: 'The wait that was granted.', schema: { type: 'string' } },
  traceparent: { description: 'The trace under which the job runs.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which the same request may succeed.', schema: { type: 'string' } },
};

const securitySchemes = {
  caller: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A signed IAM request or a JWT, as the deployment is set up. In embedded mode whoever reaches the loopback interface says who calls by `x-caller-id` and `x-caller-role`.',
  },
};
