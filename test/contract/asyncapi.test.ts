/** The AsyncAPI document is valid by the standard's own schema, and tells of what really leaves on the bus. */
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { apiDocuments } from '../../lib/contract/api-documents.ts';
import { eventSchemas } from '../../lib/contract/asyncapi/index.ts';
import type { Answer } from '../../lib/core/answers.ts';
import { failure } from '../../lib/core/answers.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { house } from '../http/support.ts';

interface AsyncApi {
  readonly components: {
    readonly messages: Record<string, { readonly name: string; readonly payload: { readonly $ref: string } }>;
  };
}

const document = apiDocuments(examples).asyncApi() as unknown as AsyncApi;
const standard = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json') as object;

const messages = (document.components as { messages: Record<string, { name: string; payload: { $ref: string } }> })
  .messages;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'api', ...document });

/** Why the detail is not what the document says of its type; null when it is. */
function misfit(detailType: string, detail: unknown): string | null {
  const message = Object.values(messages).find(({ name }) => name === detailType);
  if (message === undefined) return `${detailType} is not documented`;
  const validate = ajv.compile({ $ref: message.payload.$ref.replace('#/', 'api#/') });
  return validate(detail) ? null : ajv.errorsText(validate.errors);
}

async function eventsAfter(answers: Record<string, Answer>, headers: Record<string, string> = {}, lifecycle = false) {
  const place = house(({ topic }: { topic: string }) => answers[topic]);
  Object.assign(place.engine, { lifecycleEvents: lifecycle });
  await place.submit(headers);
  await place.ports.clock.advanceAsync(10 * 86_400_000);
  return place.ports.bus.published;
}

describe('the AsyncAPI document', () => {
  it('is one', () => {
    const validate = new Ajv({ strict: false, logger: false, validateFormats: false, meta: false }).compile(standard);
    expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  });

  it('is served', async () => {
    expect((await house().ask('/asyncapi.json')).body).toEqual(document);
  });

  it.each<[string, Record<string, Answer>, readonly string[]]>([
    ['completes', {}, ['signup:completed']],
    ['is refused', { 'user:create': failure('DQ_EMAIL', 'no address', false) }, ['signup:failed']],
    [
      'is quarantined',
      { 'user:create': failure('ODD_CODE', 'nobody knows this', false) },
      ['signup:failed', 'job.dead_lettered'],
    ],
    [
      'cannot be undone',
      {
        'user:create': failure('DQ_EMAIL', 'no address', false),
        'tenant:delete': failure('CONTRACT_CONFLICT', 'it is in use', false),
      },
      ['signup:failed', 'job.needs_review', 'job.dead_lettered'],
    ],
  ])('fits every event of a job that %s', async (_, answers, expected) => {
    const events = await eventsAfter(answers);
    expect([...new Set(events.map(({ detailType }) => detailType))].sort()).toEqual([...expected].sort());
    for (const { detailType, detail } of events) expect(misfit(detailType, detail), detailType).toBeNull();
  });

  it('fits the event of every transition, where these are asked for: each once, under the id of its entry', async () => {
    const events = (await eventsAfter({}, {}, true)).filter(({ detailType }) => detailType === 'job.transitioned');
    expect(events.map(({ detail }) => detail.to_state)).toEqual(['PENDING', 'VALIDATING', 'PROCESSING', 'COMPLETED']);
    expect(events.map(({ eventId }) => eventId)).toEqual(events.map(({ detail }) => `${detail.job_id}.${detail.seq}`));
    for (const { detailType, detail } of events) expect(misfit(detailType, detail)).toBeNull();
  });
});

describe('schemas for a registry', () => {
  it('stand alone, one for each event, in draft 4', () => {
    const schemas = eventSchemas(examples.list());
    expect([...schemas.keys()]).toEqual(
      expect.arrayContaining(['signup:completed', 'order:failed', 'job.needs_review']),
    );
    for (const schema of schemas.values()) {
      expect(schema.$schema).toMatch(/draft-04/);
      expect(JSON.stringify(schema)).not.toContain('#/components');
    }
  });
});
