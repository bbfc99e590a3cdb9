import { describe, expect, it } from 'vitest';
import { type Column, table } from '../../lib/operator/table.ts';
import { clean, cleanJson, clock, cut, padded, time, widthOf } from '../../lib/operator/text.ts';
import { terminal } from './support.ts';

const HOSTILE = [
  '\u001b[2J',
  '\u001b]0;title\u0007',
  'a\rb',
  'a\nb',
  '\u009b31m',
  '\u202egnp.exe',
  'a\u200bb',
  '\u2066x\u2069',
  '\ufeff',
  '\u2028',
  '\ud800',
  '\u{e0041}',
  '\u007f',
];

describe('text of others', () => {
  it.each(HOSTILE.map((text) => [JSON.stringify(text), text]))('cannot act on a terminal: %s', (_name, text) => {
    expect(clean(text)).toMatch(/^[\x20-\x7e]*$/);
    expect(clean(text)).toContain('\\u');
    expect(cleanJson({ [text]: [text] })).toMatch(/^[\x20-\x7e]*$/);
  });

  it('stays as it is where it does no harm', () => {
    for (const text of ['Grüße', '東京', 'עברית', 'a "b" \\ c', '😀']) expect(clean(text)).toBe(text);
  });

  it('inside a document stays the same document', () => {
    const document = { hostile: HOSTILE.join(''), nested: [{ ok: 'Grüße' }] };
    for (const indent of [0, 2]) expect(JSON.parse(cleanJson(document, indent))).toEqual(document);
    expect(cleanJson(document, 2)).toContain('\n  "nested"');
    expect(cleanJson(undefined)).toBe('null');
  });
});

describe('columns', () => {
  it('count what a terminal takes', () => {
    expect(['abc', '東京', 'e\u0301', '😀', ''].map(widthOf)).toEqual([3, 4, 1, 2, 0]);
    expect(widthOf(padded('東京', 6))).toBe(6);
    expect(['abcdef', '東京都', 'abc'].map((text) => cut(text, 4))).toEqual(['abc…', '東…', 'abc']);
  });

  it('say times to the second, or closely', () => {
    expect(time('2026-01-31T08:00:00.123Z')).toBe('2026-01-31 08:00:00Z');
    expect(time(null)).toBe('');
    expect(clock('2026-01-31T08:00:00.123Z')).toBe('08:00:00.123');
  });
});

describe('a table', () => {
  const columns: Column<readonly [string, string]>[] = [
    { head: 'id', cell: ([id]) => id },
    { head: 'why', cell: ([, why]) => why, gives: true },
    { head: 'end', cell: () => 'x' },
  ];
  const rows = [
    ['j'.repeat(20), 'a reason that is far too long for a narrow terminal'],
    ['k', '\u001b[31m'],
  ] as const;

  it('is as wide as it needs to be in a pipe', () => {
    const shown = table(terminal().io.out, rows, columns);
    expect(shown).toContain('far too long for a narrow terminal');
    expect(shown.split('\n').map((line) => line.indexOf('x'))).toEqual([-1, 75, 75, -1]);
    expect(shown).toContain('\\u001b[31m');
  });

  it('fits a terminal by cutting prose, and no id', () => {
    const shown = table(terminal({ columns: 50 }).io.out, rows, columns);
    for (const line of shown.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(50);
    expect(shown).toContain('j'.repeat(20));
    expect(shown).toContain('…');
    expect(table(terminal({ columns: 10 }).io.out, rows, columns)).toContain('j'.repeat(20));
  });
});
