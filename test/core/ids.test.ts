/** Identities: what they are made of, and that no two things can share one. Vectors were computed in another language. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deadLetterIdOf,
  derivedKey,
  intentHash,
  isJobId,
  jobIdOf,
  operationIdOf,
  RESERVED_STEP_NAME,
  rerunIdOf,
  STEP_NAME,
  undoOperationIdOf,
} from '../../lib/core/ids.ts';
import { readOperationId } from '../../lib/core/operation-id.ts';

const job = jobIdOf('local', 'signup', 'k-1');

describe('a job id', () => {
  it.each([
    ['local', 'signup', 'k-1', 'j2jnv5ljovhywi7ob4ahhijhp5q'],
    ['arn:aws:iam::123456789012:role/orders', 'order', '2026-01-01/7', 'jdqajaj6vm5oeknphnqrtoljrey'],
    ['ä', 't', '€ 😀', 'j52anedgfhs7h57f2wwnbiv6tt2'],
    ['', '', '', 'jpgoflvyc57w3o5inwgftmodpyo'],
  ])('of caller %j, type %j and key %j is %s, for ever', (caller, type, key, id) => {
    expect(jobIdOf(caller, type, key)).toBe(id);
  });

  it('cannot be had by cutting caller, type and key elsewhere', () => {
    const cuts = [
      ['a', 'bc', 'd'],
      ['ab', 'c', 'd'],
      ['a', 'b', 'cd'],
      ['', 'abc', 'd'],
      ['abc', '', 'd'],
      ['a","b', 'c', 'd'],
      ['a', 'b","c', 'd'],
    ] as const;
    const ids = cuts.map(([caller, type, key]) => jobIdOf(caller, type, key));
    expect(new Set(ids).size).toBe(cuts.length);
  });

  it('differs whenever any of the three does', () => {
    const parts = fc.tuple(fc.string(), fc.string(), fc.string());
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(jobIdOf(...one) === jobIdOf(...other)).toBe(one.join('\0') === other.join('\0'));
      }),
    );
  });

  it('is told from anything else', () => {
    expect([job, rerunIdOf(job, 1), rerunIdOf(job, 42)].every(isJobId)).toBe(true);
    const others = [
      '',
      'j',
      job.slice(1),
      `${job}a`,
      job.toUpperCase(),
      `${job}.r0`,
      `${job}.r`,
      `${job}\n`,
      `d${job}`,
    ];
    expect(others.filter(isJobId)).toEqual([]);
  });

  it('names its dead letter', () => {
    expect(deadLetterIdOf(job)).toBe(`d${job}`);
  });
});

describe('a key that nobody gave', () => {
  it('stands for caller, type and canonical input in one window', () => {
    const intent = intentHash('local', 'signup', { b: [true, null, 'x'], a: 1 });
    expect(intent).toBe('n3cuu3yxtjr3va4o6l63mghc44');
    expect(derivedKey(intent, 1_000)).toBe(`auto:${intent}:1000`);
    expect(intentHash('local', 'signup', { a: 2 })).not.toBe(intentHash('local', 'signup', { a: 1 }));
  });
});

describe('an operation id', () => {
  it('says job, step, round, and that and how often it undoes', () => {
    expect(operationIdOf(job, 'tenant', 0)).toBe(`${job}.tenant`);
    expect(operationIdOf(job, 'tenant', 2)).toBe(`${job}.tenant.r2`);
    expect(undoOperationIdOf(operationIdOf(job, 'tenant', 0), 0)).toBe(`${job}.tenant.undo`);
    expect(undoOperationIdOf(operationIdOf(job, 'tenant', 0), 1)).toBe(`${job}.tenant.undo.2`);
    expect(undoOperationIdOf(operationIdOf(job, 'tenant', 2), 1)).toBe(`${job}.tenant.r2.undo.2`);
  });

  it('is never shared by two operations, of one run or of two', () => {
    const name = fc.stringMatching(STEP_NAME).filter((text) => !RESERVED_STEP_NAME.test(text));
    const run = fc.nat({ max: 3 }).map((count) => (count === 0 ? job : rerunIdOf(job, count)));
    const operation = fc.record({ run, name, round: fc.nat({ max: 3 }), undo: fc.option(fc.nat({ max: 3 })) });
    const idOf = (one: { run: typeof job; name: string; round: number; undo: number | null }): string =>
      one.undo === null
        ? operationIdOf(one.run, one.name, one.round)
        : undoOperationIdOf(operationIdOf(one.run, one.name, one.round), one.undo);
    fc.assert(
      fc.property(operation, operation, (one, other) => {
        expect(idOf(one) === idOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 500 },
    );
  });

  it('is read back as it was named, and nothing else is', () => {
    const name = fc.stringMatching(STEP_NAME).filter((text) => !RESERVED_STEP_NAME.test(text));
    const run = fc.nat({ max: 3 }).map((count) => (count === 0 ? job : rerunIdOf(job, count)));
    fc.assert(
      fc.property(run, name, fc.nat({ max: 3 }), fc.option(fc.nat({ max: 3 })), (jobId, step, round, generation) => {
        const forward = operationIdOf(jobId, step, round);
        const id = generation === null ? forward : undoOperationIdOf(forward, generation);
        expect(readOperationId(id)).toEqual({ jobId, step, child: null, round, generation });
      }),
    );
    const others = [
      job,
      `${job}.`,
      `${job}.undo`,
      `${job}.r1`,
      `${job}.r1.r2`,
      `${job}.a.b`,
      `${job}.a.undo.x`,
      'a.b',
      '',
    ];
    expect(others.filter((text) => readOperationId(text) !== null)).toEqual([]);
  });

  it.each(['undo', 'r1', 'c0', 'r20'])('has no room for a step named %s', (name) => {
    expect(STEP_NAME.test(name) && RESERVED_STEP_NAME.test(name)).toBe(true);
  });

  it.each(['undo-it', 'r', 'c', 'r1a', 'redo1'])('leaves the name %s to a step', (name) => {
    expect(STEP_NAME.test(name) && !RESERVED_STEP_NAME.test(name)).toBe(true);
  });

  it.each(['', 'A', '1a', '-a', 'a_b', 'a.b', 'a b', `a${'b'.repeat(40)}`])(
    'has no room for a step named %j',
    (name) => {
      expect(STEP_NAME.test(name)).toBe(false);
    },
  );
});
