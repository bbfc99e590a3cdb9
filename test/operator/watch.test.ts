/** Watching: the same lines for who looks late, one picture that is drawn over itself, one document a change. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../lib/client/index.ts';
import { drawPicture } from '../../lib/operator/picture.ts';
import { widthOf } from '../../lib/operator/text.ts';
import { embedded, SIGNUP, terminal } from './support.ts';

const ORDER = JSON.stringify({ order_id: 'o1', sku: 'pen', quantity: 2, amount: 12.5, address: '1 Main St' });
const EVERY_LINE = [
  'job PENDING',
  'job VALIDATING',
  'job PROCESSING',
  'reservation called',
  'reservation succeeded',
  'payment called',
  'payment attempt 1 failed',
  'payment succeeded',
  'fulfilment called',
  'fulfilment succeeded',
  'job COMPLETED',
];

const subjects = (out: string): string[] =>
  out
    .trim()
    .split('\n')
    .map((line) => line.slice(14).split(/ {2,}/).slice(0, 2).join(' '));

describe('in a pipe', () => {
  it('every moment is one line, in order, also for who only looks when all is over', async () => {
    const { run, json, fault } = await embedded();
    await fault({ target: 'payment:authorise', mode: 'fail' });
    const live = await run(['submit', 'order', ORDER, '--watch']);
    expect([live.code, subjects(live.out)]).toEqual([0, EVERY_LINE]);
    const { body } = await json('jobs list --limit 1');
    const [job] = body.items as Job[];
    expect((await run(`watch ${job?.job_id}`)).out).toBe(live.out);
  });

  it('an undo is told step by step, and the end is a failure', async () => {
    const { run } = await embedded();
    const said = await run(['submit', 'order', ORDER.replace('1 Main St', ' '), '--watch']);
    expect(said.code).toBe(1);
    expect(subjects(said.out).slice(-6)).toEqual([
      'job COMPENSATING',
      'payment undo called',
      'payment undone',
      'reservation undo called',
      'reservation undone',
      'job FAILED',
    ]);
  });

  it('with --json every change is one document a line', async () => {
    const { run } = await embedded();
    const { out } = await run(['submit', 'signup', SIGNUP, '--watch', '--json']);
    const jobs = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Job);
    expect(jobs.at(-1)?.current_state).toBe('COMPLETED');
    expect(new Set(jobs.map(({ revision }) => revision)).size).toBe(jobs.length);
  });
});

describe('on a terminal', () => {
  it('one picture is drawn again over itself, as high as it was, until the job rests', async () => {
    const { run, fault } = await embedded();
    await fault({ target: 'user:create', mode: 'delay', delay_ms: 400 });
    const { code, out } = await run(['submit', 'signup', SIGNUP, '--watch'], { columns: 60 });
    const frames = out.split(/\p{Cc}\[\d+A\p{Cc}\[0J/u);
    const erased = [...out.matchAll(/\p{Cc}\[(\d+)A/gu)].map(([, height]) => Number(height));
    expect(code).toBe(0);
    expect(frames.length).toBeGreaterThan(2);
    expect(erased).toEqual(frames.slice(0, -1).map((frame) => frame.split('\n').length - 1));
    expect(frames.at(-1)).toContain('3 of 3 steps');
    expect(frames.at(-1)).not.toContain('Ctrl-C');
    for (const line of frames.flatMap((frame) => frame.split('\n'))) expect(widthOf(line)).toBeLessThanOrEqual(60);
  });

  const step = (name: string, status: string) => ({
    step: name,
    status,
    topic: 'thing:do',
    attempts: 1,
    error_code: null,
    next_attempt_at: null,
    started_at: null,
    completed_at: null,
    compensation: null,
  });
  const job = (steps: readonly ReturnType<typeof step>[]) =>
    ({
      workflow_type: 'big',
      job_id: `j${'a'.repeat(26)}`,
      current_state: 'PROCESSING',
      outcome: null,
      created_at: '2026-01-31T08:00:00.000Z',
      updated_at: '2026-01-31T08:00:00.000Z',
      next_action_at: '2026-01-31T09:00:00.000Z',
      steps,
    }) as unknown as Job;

  it('of very many steps those are shown that something happens to', () => {
    const steps = Array.from({ length: 200 }, (_, n) => step(`step-${n}`, n < 100 ? 'succeeded' : 'pending'));
    const drawn = drawPicture(terminal({ columns: 80 }).io.out, job(steps), [], Date.UTC(2026, 0, 31, 8, 1), false);
    expect(drawn.split('\n').length).toBeLessThan(30);
    expect(drawn).toContain('step-100 ');
    expect(drawn).toContain('and 180 more');
    expect(drawn).toContain('100 of 200 steps');
    expect(drawn).toContain('60.0 s');
  });

  it('no name breaks the picture, however it is made', () => {
    const hostile = `\u001b[2J\u202e${'東'.repeat(40)}`;
    const { out } = terminal({ columns: 50, colour: true }).io;
    const drawn = drawPicture(out, job([step(hostile, 'failed')]), [], 0, true);
    const bare = stripVTControlCharacters(drawn);
    expect(bare).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
    for (const line of bare.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(50);
    expect(drawPicture(out, job([]), [], 0, true)).toContain('0 of 0 steps');
  });
});
