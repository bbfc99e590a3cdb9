/**
 * Our expressions in the words of EventBridge Scheduler, which has a sixth field, a ? where a day is left open, and counts
 * weekdays from 1. Lists and steps are written out, so that nothing depends on how they are read there. What becomes too
 * long for it wakes each minute: a wake-up too many finds nothing to do.
 */
import { type CronFields, expressionOf, expressionText, FIELDS, valuesOf, WEEKDAYS } from '../core/expressions.ts';

/** What Scheduler takes. */
const CHARACTERS_MAX = 256;

export function schedulerExpression(text: string): string {
  const expression = expressionOf(text);
  if (expression.kind === 'rate') return expressionText(expression);
  const written = cronText(expression.fields);
  return written.length <= CHARACTERS_MAX ? written : 'rate(1 minute)';
}

function cronText({ minute, hour, dayOfMonth, month, dayOfWeek }: CronFields): string {
  const [minutes, hours, days, months, weekdays] = FIELDS;
  const byWeekday = dayOfWeek !== '*';
  const fields = [
    listOf(minute, minutes),
    listOf(hour, hours),
    byWeekday ? '?' : listOf(dayOfMonth, days),
    listOf(month, months),
    byWeekday ? listOf(dayOfWeek, weekdays, (value) => WEEKDAYS[value % 7] ?? '') : '?',
    '*',
  ];
  return `cron(${fields.join(' ')})`;
}

type Field = Parameters<typeof valuesOf>[1];

function listOf(text: string, field: Field, shown: (value: number) => string = String): string {
  if (text === '*' || text === 'L') return text;
  const values = text.split(',').flatMap((item) => valuesOf(item, field) ?? []);
  return [...new Set(values.map(shown))].join(',');
}
