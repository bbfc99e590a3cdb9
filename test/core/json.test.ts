/** Documents: one text for equal ones, and where two differ, without telling what they say. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, canonicalJson, differingPaths, fingerprint, isObject, type Json } from '../../lib/core/json.ts';

/** The same document with its members in another order. */
function shuffled(value: Json): Json {
  if (Array.isArray(value)) return value.map(shuffled);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, shuffled(member)] as const)
      .reverse(),
  );
}

const json = fc.jsonValue({ maxDepth: 4 }).map((value): Json => JSON.parse(JSON.stringify(value)));

describe('the canonical text', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: 1e21, b: 0.1, c: -0, d: 1.0 }, '{"a":1e+21,"b":0.1,"c":0,"d":1}'],
    // Members sort by UTF-16 code units: the surrogate of an emoji comes before U+FB33.
    [{ '\ufb33': 1, '😀': 2, '€': 3 }, '{"€":3,"😀":2,"\ufb33":1}'],
    [{ '10': 1, '9': 2, '': 3 }, '{"":3,"10":1,"9":2}'],
    ['\u0000"\\\n/', '"\\u0000\\"\\\\\\n/"'],
    [[[], {}], '[[],{}]'],
  ])('of %j is %s', (value, text) => {
    expect(canonicalJson(value as Json)).toBe(text);
  });

  it('is the same for equal documents, and says all of them', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('keeps members that look like machinery', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json;
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('is what a fingerprint is made of', () => {
    const hex = createHash('sha256').update('{"a":1,"b":2}').digest('hex');
    expect(hex).toBe('43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777');
    expect(fingerprint({ b: 2, a: 1 })).toBe(hex);
  });

  it('is measured in bytes, not in characters', () => {
    expect(['a', 'ä', '€', '😀'].map(byteLength)).toEqual([1, 2, 3, 4]);
  });
});

describe('where two documents differ', () => {
  it.each([
    [{ a: 1 }, { a: 2 }, ['/a']],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, ['/a/c']],
    [{ a: [1, 2, 3] }, { a: [1, 9] }, ['/a/1', '/a/2']],
    [{ a: 1 }, { b: 1 }, ['/a', '/b']],
    [{ 'x/y': 1, 'p~q': 2 }, {}, ['/p~0q', '/x~1y']],
    [{ a: [] }, { a: {} }, ['/a']],
    [{ a: null }, {}, ['/a']],
    [1, 2, ['/']],
    [{ toString: 1 }, {}, ['/toString']],
  ])('%j and %j', (left, right, paths) => {
    expect(differingPaths(left as Json, right as Json)).toEqual(paths);
  });

  it('names nothing for equal documents, and something for any others', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(differingPaths(left, shuffled(left))).toEqual([]);
        const isSame = canonicalJson(left) === canonicalJson(right);
        expect(differingPaths(left, right).length === 0).toBe(isSame);
      }),
    );
  });

  it('never tells a value', () => {
    const secret = 'S3CRET';
    const paths = differingPaths({ a: secret, b: [secret] }, { a: 'other', b: [{ deep: secret }] });
    expect(paths.join()).not.toContain(secret);
  });

  it('stops at the limit', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, index]));
    expect(differingPaths(many, {})).toHaveLength(20);
    expect(differingPaths(many, {}, 3)).toHaveLength(3);
  });
});
