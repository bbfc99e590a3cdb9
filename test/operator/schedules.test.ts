/** Schedules from the command line: set, looked at, paused, resumed, removed. */
import { expect, it } from 'vitest';
import { embedded } from './support.ts';

const SET = [
  ...['schedules', 'set', 'news', '{"question":"what is new?"}', '--workflow', 'research'],
  ...['--when', '0 8 * * MON-FRI', '--timezone', 'Europe/Berlin', '--reason', 'the morning news'],
];

it('sets a schedule, shows it, pauses, resumes and removes it', async () => {
  const { run } = await embedded();
  const set = await run([...SET, '--overlap', 'queue', '--make-up', '3']);
  expect([set.code, set.err]).toEqual([0, '']);
  expect(set.out).toContain('news  research');
  expect(set.out).toContain('cron(0 8 * * MON-FRI) Europe/Berlin');
  expect(set.out).toContain('3 missed within 86400 s');
  const shown = await run(['schedules', 'show', 'news', '--json']);
  expect(JSON.parse(shown.out)).toMatchObject({ name: 'news', overlap: 'queue', reason: 'the morning news' });
  const listed = await run(['schedules', 'list']);
  expect(listed.out).toMatch(/news\s+research\s+cron\(0 8 \* \* MON-FRI\)\s+Europe\/Berlin/);
  const paused = await run(['schedules', 'pause', 'news', '--reason', 'holidays']);
  expect(paused.out).toContain('paused');
  const resumed = await run(['schedules', 'resume', 'news', '--reason', 'back']);
  expect(resumed.out).not.toContain('paused');
  const kept = await run(['schedules', 'remove', 'news', '--reason', 'done'], { answers: ['no'] });
  expect([kept.code, kept.asked.length]).toEqual([1, 1]);
  const removed = await run(['schedules', 'remove', 'news', '--reason', 'done', '--yes']);
  expect([removed.code, removed.out]).toEqual([0, expect.stringContaining('news  removed')]);
  expect((await run(['schedules', 'list'])).out).toBe('No schedules.\n');
  const gone = await run(['schedules', 'show', 'news']);
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('ORCH_UNKNOWN_SCHEDULE')]);
});

it('says what is wrong with an expression', async () => {
  const { run } = await embedded();
  const said = await run(['schedules', 'set', 'news', '{}', '--workflow', 'research', '--when', 'at noon']);
  expect([said.code, said.err]).toEqual([1, expect.stringContaining('cron(0 8 * * MON-FRI)')]);
  const usage = await run(['schedules', 'set', 'news', '{}', '--when', 'rate(1 day)']);
  expect([usage.code, usage.err]).toEqual([2, expect.stringContaining('--workflow')]);
});
