/** When schedules come round: time zones, changes of clocks, and the ends of months. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarOf, isTimezone } from '../../lib/core/calendar.ts';
import { expressionText, readExpression } from '../../lib/core/expressions.ts';

const at = (text: string): number => Date.parse(text);

/** The first moments after one. */
function moments(expression: string, timezone: string, after: string, count: number): string[] {
  const calendar = calendarOf({ expression, timezone, anchorAt: at(after) });
  const found: string[] = [];
  for (let next = calendar.after(at(after)); next !== null && found.length < count; next = calendar.after(next)) {
    found.push(new Date(next).toISOString().slice(0, 16));
  }
  return found;
}

describe('a time that the change to summer leaves out', () => {
  it.each([
    ['Europe/Berlin', '2027-03-27T00:00Z', ['2027-03-27T01:30', '2027-03-28T01:00', '2027-03-29T00:30']],
    ['America/New_York', '2027-03-13T00:00Z', ['2027-03-13T07:30', '2027-03-14T07:00', '2027-03-15T06:30']],
  ])('comes at the first moment after the gap: 02:30 in %s', (zone, after, expected) => {
    expect(moments('cron(30 2 * * *)', zone, after, 3)).toEqual(expected);
  });

  it('comes once, also when the hour after the gap is named too', () => {
    expect(moments('cron(0 2,3 * * *)', 'Europe/Berlin', '2027-03-27T12:00Z', 3)).toEqual([
      '2027-03-28T01:00',
      '2027-03-29T00:00',
      '2027-03-29T01:00',
    ]);
  });
});

describe('a time that the change to winter repeats', () => {
  it.each([
    ['Europe/Berlin', 'cron(30 2 * * *)', '2027-10-30T12:00Z', ['2027-10-31T00:30', '2027-11-01T01:30']],
    ['America/New_York', 'cron(30 1 * * *)', '2027-11-06T12:00Z', ['2027-11-07T05:30', '2027-11-08T06:30']],
  ])('comes once, the first time: %s', (zone, expression, after, expected) => {
    expect(moments(expression, zone, after, 2)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '2027-10-30T23:59Z'],
    ['America/New_York', '2027-11-07T04:59Z'],
  ])('what comes each half hour comes in both hours: %s', (zone, after) => {
    const found = moments('cron(*/30 * * * *)', zone, after, 8).map(at2);
    for (const [index, moment] of found.entries()) expect(moment).toBe((found[0] ?? 0) + index * 1_800_000);
  });
});
const at2 = (text: string): number => at(`${text}Z`);

describe('the ends of months', () => {
  it('29 February comes in leap years', () => {
    expect(moments('cron(0 0 29 2 *)', 'UTC', '2027-01-01T00:00Z', 2)).toEqual([
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ]);
  });

  it('the 31st comes in months that have one, L is the last day of each', () => {
    expect(moments('cron(0 6 31 * *)', 'UTC', '2027-01-31T07:00Z', 3)).toEqual([
      '2027-03-31T06:00',
      '2027-05-31T06:00',
      '2027-07-31T06:00',
    ]);
    expect(moments('cron(0 6 L 1,2 *)', 'UTC', '2028-01-01T00:00Z', 3)).toEqual([
      '2028-01-31T06:00',
      '2028-02-29T06:00',
      '2029-01-31T06:00',
    ]);
  });

  it('a day that never comes has no moment', () => {
    expect(moments('cron(0 0 30 2 *)', 'UTC', '2027-01-01T00:00Z', 1)).toEqual([]);
  });
});

describe('a rate', () => {
  it('counts from when it was set, whatever clocks do', () => {
    expect(moments('rate(1 day)', 'Europe/Berlin', '2027-03-27T08:00Z', 2)).toEqual([
      '2027-03-28T08:00',
      '2027-03-29T08:00',
    ]);
    expect(moments('rate(90 minutes)', 'UTC', '2027-03-27T08:00Z', 2)).toEqual([
      '2027-03-27T09:30',
      '2027-03-27T11:00',
    ]);
  });

  it('begins one interval after it was set, whoever asks for what came before', () => {
    const calendar = calendarOf({ expression: 'rate(5 minutes)', timezone: 'UTC', anchorAt: 1_000_000 });
    for (const asked of [0, 999_999, 1_000_000, 1_299_999]) expect(calendar.after(asked)).toBe(1_300_000);
    expect(calendar.after(1_300_000)).toBe(1_600_000);
  });
});

describe('every calendar', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC');
  const expressions = fc.constantFrom(
    'cron(30 2 * * *)',
    'cron(0 1,2 * * *)',
    'cron(*/20 1 * * *)',
    'cron(0 0 L * *)',
    'cron(15 */3 * * SUN)',
    'rate(7 hours)',
  );
  const changes = fc.constantFrom('2027-03-14', '2027-03-28', '2027-10-03', '2027-10-31', '2027-11-07', '2027-04-04');

  it('answers the same next moment from wherever one asks between two', () => {
    fc.assert(
      fc.property(
        zones,
        expressions,
        changes,
        fc.nat(172_800_000),
        fc.nat(999),
        (timezone, expression, day, ms, part) => {
          const calendar = calendarOf({ expression, timezone, anchorAt: at('2027-01-01T00:00Z') });
          const from = at(`${day}T00:00Z`) - 86_400_000 + ms;
          const next = calendar.after(from) ?? 0;
          expect(next).toBeGreaterThan(from);
          const between = from + Math.floor(((next - from - 1) * part) / 1_000);
          expect(calendar.after(between)).toBe(next);
          expect(calendar.after(next - 1)).toBe(next);
          expect(calendar.after(next)).toBeGreaterThan(next);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('what is taken as an expression', () => {
  it.each([
    ['0 8 * * MON-FRI', 'cron(0 8 * * MON-FRI)'],
    ['cron( 0  8 1,15 * * )', 'cron(0 8 1,15 * *)'],
    ['Cron(*/5 0-6/2 * jan,jul *)', 'cron(*/5 0-6/2 * JAN,JUL *)'],
    ['cron(0 0 l * *)', 'cron(0 0 L * *)'],
    ['rate(1 minute)', 'rate(1 minute)'],
    ['rate( 12 hours )', 'rate(12 hours)'],
    ['rate(366 days)', 'rate(366 days)'],
  ])('%s', (text, canonical) => {
    const read = readExpression(text);
    expect(read.ok && expressionText(read.expression)).toBe(canonical);
  });

  it.each([
    ['', /write cron/],
    ['@daily', /write cron/],
    ['* * * *', /write cron/],
    ['cron(0 8 ? * MON *)', /sixth field/],
    ['cron(60 * * * *)', /the minute is 60/],
    ['cron(5/10 * * * *)', /the minute is 5\/10/],
    ['cron(*/0 * * * *)', /the minute/],
    ['cron(0 24 * * *)', /the hour/],
    ['cron(0 0 0 * *)', /the day of month/],
    ['cron(0 0 1 13 *)', /the month/],
    ['cron(0 0 * * FRI-MON)', /the day of week/],
    ['cron(0 0 * * MON#1)', /the day of week/],
    ['cron(0 0 1 * MON)', /leave the other \*/],
    ['rate(0 minutes)', /write a rate/],
    ['rate(5 seconds)', /write a rate/],
    ['rate(367 days)', /at most 366 days/],
    [`cron(${'0,'.repeat(200)}0 * * * *)`, /write cron/],
  ])('not %s', (text, why) => {
    const read = readExpression(text);
    expect(read.ok ? '' : read.why).toMatch(why);
  });

  it('time zones are names, not offsets', () => {
    expect(['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Etc/GMT+5'].map(isTimezone)).not.toContain(false);
    expect(['+01:00', 'Mars/Olympus', '', 'Europe/Berlin ', '../etc'].map(isTimezone)).not.toContain(true);
  });
});
