/** Our expressions as EventBridge Scheduler reads them, and the message that wakes a schedule. */
import { describe, expect, it } from 'vitest';
import { readWakeup, wakeupBody } from '../../lib/contract/messages.ts';
import { schedulerExpression } from '../../lib/contract/scheduler-expression.ts';

describe('an expression for EventBridge Scheduler', () => {
  it.each([
    ['cron(0 8 * * *)', 'cron(0 8 * * ? *)'],
    ['cron(30 2 1,15 JAN *)', 'cron(30 2 1,15 1 ? *)'],
    ['cron(0 0 L * *)', 'cron(0 0 L * ? *)'],
    ['cron(*/20 * * * *)', 'cron(0,20,40 * * * ? *)'],
    ['cron(10-20/5 0 * * *)', 'cron(10,15,20 0 * * ? *)'],
    // There Sunday is 1; names leave nothing to count.
    ['cron(0 8 * * MON-FRI)', 'cron(0 8 ? * MON,TUE,WED,THU,FRI *)'],
    ['cron(0 8 * * 0)', 'cron(0 8 ? * SUN *)'],
    ['cron(0 8 * * 7)', 'cron(0 8 ? * SUN *)'],
    ['cron(0 8 * * 5-7)', 'cron(0 8 ? * FRI,SAT,SUN *)'],
    ['rate(5 minutes)', 'rate(5 minutes)'],
    ['rate(1 hour)', 'rate(1 hour)'],
  ])('%s is %s', (ours, theirs) => {
    expect(schedulerExpression(ours)).toBe(theirs);
  });

  it('that would be too long wakes each minute', () => {
    expect(schedulerExpression('cron(*/1 */1 */1 * *)')).toBe('rate(1 minute)');
  });
});

describe('the message that wakes a schedule', () => {
  it('is read as what was written, with the time that the service puts in', () => {
    const body = wakeupBody('nightly').replace('<aws.scheduler.scheduled-time>', '2027-01-01T00:00:00Z');
    expect(readWakeup(body)).toBe('nightly');
    expect(JSON.parse(body)).toEqual({ schedule: 'nightly', scheduled_time: '2027-01-01T00:00:00Z' });
  });

  it.each([
    '',
    '{}',
    '{"schedule":""}',
    '{"workflow_type":"signup","input":{}}',
    '[1]',
    '{"schedule":"a","scheduled_time":"b","c":1}',
  ])('%s is none', (text) => {
    expect(readWakeup(text)).toBeNull();
  });
});
