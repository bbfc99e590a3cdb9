/** Documents against schemas: every fault with its JSON pointer, never a thrown error, never a promise. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { check, jsonSchemaOf, schemaProblems } from '../../lib/definition/schemas.ts';

describe('check', () => {
  it('answers the document as the schema reads it', () => {
    const schema = z.object({ nights: z.number().default(1), from: z.string().transform((text) => text.length) });
    expect(check(schema, { from: 'abc', other: 1 })).toEqual({ ok: true, value: { nights: 1, from: 3 } });
  });

  it('points at every fault', () => {
    const schema = z.strictObject({ 'a/b': z.object({ '~': z.array(z.int()) }), city: z.string() });
    const checked = check(schema, { 'a/b': { '~': [1, 1.5] } });
    expect(checked.ok ? [] : checked.errors.map(({ path }) => path)).toEqual(['/a~1b/~0/1', '/city']);
  });

  it('points at each field that is not known', () => {
    expect(check(z.strictObject({ a: z.strictObject({}) }), { a: { x: 1, 'y/z': 2 } })).toEqual({
      ok: false,
      errors: [
        { path: '/a/x', message: 'this field is not known here' },
        { path: '/a/y~1z', message: 'this field is not known here' },
      ],
    });
  });

  it('points at the whole document with a slash', () => {
    const checked = check(z.strictObject({}), 'text');
    expect(checked).toMatchObject({ ok: false, errors: [{ path: '/' }] });
  });

  it('never tells the value that is wrong', () => {
    const checked = check(z.strictObject({ email: z.email(), plan: z.enum(['free']) }), {
      email: 'secret-1',
      plan: 'secret-2',
    });
    expect(JSON.stringify(checked)).not.toContain('secret');
  });

  it('a rule that turns out to be asynchronous is an error, not a promise', () => {
    const slow = z.string().superRefine(async () => {});
    expect([...schemaProblems('it', slow)]).toEqual([]);
    expect(check(slow, 'x')).toEqual({
      ok: false,
      errors: [
        {
          path: '/',
          message: 'the schema has an asynchronous rule and cannot be checked; the workflow has to be corrected',
        },
      ],
    });
  });

  it('a rule that throws is an error, and does not tell what it saw', () => {
    const broken = z.string().refine((text) => {
      throw new RangeError(text);
    });
    const checked = check(broken, 'secret');
    expect(checked).toEqual({
      ok: false,
      errors: [{ path: '/', message: 'a rule of the schema threw RangeError; the workflow has to be corrected' }],
    });
  });
});

describe('JSON Schema', () => {
  it('describes the document as it arrives', () => {
    const schema = z.strictObject({
      at: z.string().transform((text) => new Date(text)),
      nights: z.number().default(1),
    });
    expect(jsonSchemaOf(schema)).toMatchObject({
      type: 'object',
      properties: { at: { type: 'string' }, nights: { type: 'number', default: 1 } },
      required: ['at'],
      additionalProperties: false,
    });
  });

  it.each<[string, z.ZodType]>([
    ['dates', z.object({ at: z.date() })],
    ['big integers', z.bigint()],
    ['maps', z.map(z.string(), z.string())],
    ['undefined', z.undefined()],
  ])('a schema of %s describes no JSON', (_name, schema) => {
    expect([...schemaProblems('it', schema)]).toHaveLength(1);
  });

  it('a promise is asynchronous', () => {
    expect([...schemaProblems('it', z.object({ a: z.promise(z.string()) }))]).toEqual([
      'it has an asynchronous rule; rules are synchronous, ask outside services in a step instead',
    ]);
  });
});
