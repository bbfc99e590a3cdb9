/** A job changes its definition only where nothing that has begun changes its meaning. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { WorkflowPlan } from '../../lib/core/plan.ts';
import { none, step, workflow } from '../../lib/definition/index.ts';
import {
  answered,
  cancelled,
  given,
  happens,
  later,
  lost,
  type Moment,
  notApplied,
  ok,
  refused,
  SECOND,
  start,
  turn,
  undone,
} from './support.ts';

const made = z.object({ id: z.int() });
const input = z.strictObject({ name: z.string() });
type In = z.output<typeof input>;
const seen = { input: ({ input: said }: { input: In }) => ({ name: said.name }), output: made };
const a = step('a', { ...seen, topic: 'a:make', undo: 'a:drop' });
const b = step('b', { ...seen, topic: 'b:make', undo: 'b:drop' });
const c = step('c', { ...seen, topic: 'c:make', undo: 'c:drop' });
const done = () => ({ ok: true });

const one = workflow('trip', 1).input(input).stage(a).stage(b).output(done).plan;
const longer = workflow('trip', 2).input(input).stage(a).stage(b).stage(c).output(done).plan;

const begin = (plan: WorkflowPlan = one): Moment => start(plan, { input: { name: 'Ada' } });
const moved = (moment: Moment, to: WorkflowPlan, expectedRevision: number | null = null): Moment =>
  happens(moment, { type: 'migrate', to, actor: 'operator:ann', reason: 'a faster way', expectedRevision });
const under = (moment: Moment, plan: WorkflowPlan): Moment => ({ ...moment, plan });
const stands = ({ job }: Moment): string[] => job.steps.map(({ name, status }) => `${name} ${status}`);

describe('a job that is moved', () => {
  it('keeps what is done, and goes on by the new version to its end', () => {
    const half = given(begin()).when(turn(), ok('a'));
    const there = under(moved(half, longer), longer);
    expect([there.job.workflowVersion, stands(there)]).toEqual([2, ['a succeeded', 'b dispatched', 'c pending']]);
    const end = given(there).when(ok('b'), ok('c'));
    expect([end.job.state, end.job.outcome]).toEqual(['COMPLETED', 'succeeded']);
  });

  it('says in its history who moved it, and why', () => {
    const { job } = moved(begin(), longer);
    expect(job.history.at(-1)).toMatchObject({
      from: 'PENDING',
      to: 'PENDING',
      actor: 'operator:ann',
      reason: 'from version 1 to 2: a faster way',
    });
  });

  it('takes its undo along: turned back, it undoes what was done, and begins nothing that is new', () => {
    const back = given(begin()).when(turn(), ok('a'), refused('b'), turn());
    const there = under(moved(back, longer), longer);
    expect(stands(there)).toEqual(['a compensating', 'b failed', 'c skipped']);
    expect(given(there).when(undone('a')).job.state).toBe('FAILED');
  });

  it('takes a retry along that waits, under the id of its operation', () => {
    const waits = given(begin()).when(turn(), ok('a'), answered('b', notApplied('EXT_X', 60 * SECOND)));
    const there = given(under(moved(waits, longer), longer)).when(later(61 * SECOND), turn());
    expect(there.calls.at(-1)).toMatchObject({ topic: 'b:make', operationId: `${there.job.jobId}.b`, attempt: 2 });
  });

  it('is moved once: a second time changes nothing', () => {
    const there = under(moved(begin(), longer), longer);
    expect(moved(there, longer).decision).toEqual({ status: 'ignored', reason: 'duplicate' });
  });
});

describe('a job stays what it is, and says why,', () => {
  const changed = { ...seen, input: () => ({ name: 'somebody else' }) };
  const rewritten = workflow('trip', 2)
    .input(input)
    .stage(a)
    .stage(step('b', { ...changed, topic: 'b:make', undo: 'b:drop' }))
    .output(done).plan;
  const other = workflow('trip', 2)
    .input(input)
    .stage(step('a', { ...seen, topic: 'a:make', undo: 'a:burn' }))
    .stage(b)
    .output(done).plan;
  const needy = workflow('trip', 2)
    .input(z.strictObject({ name: z.string(), age: z.int() }))
    .stage(step('a', { topic: 'a:make', output: made, input: () => ({ name: '' }), undo: 'a:drop' }))
    .output(done).plan;
  const first = workflow('trip', 2).input(input).stage(c).stage(a).stage(b).output(done).plan;
  const shorter = workflow('trip', 2).input(input).stage(a).output(done).plan;
  const final = workflow('trip', 2)
    .input(input)
    .stage(step('a', { ...seen, topic: 'a:make', irreversible: true }))
    .output(done).plan;
  const open = workflow('trip', 2)
    .input(input)
    .stage(step('a', { ...seen, topic: 'a:make', undo: none('nobody minds') }))
    .stage(b)
    .output(done).plan;
  const begun = given(begin()).when(turn(), ok('a'));

  it.each<[string, Moment, WorkflowPlan, RegExp]>([
    ['while a call is out that the new version would make otherwise', begun, rewritten, /b is dispatched and differs/],
    ['while a doubt is open about such a call', given(begun).when(lost('b')), rewritten, /b is unknown and differs/],
    ['where what is done would be undone by other topics', begun, other, /undoes it by other topics/],
    ['where what is done would not be undone any more', begun, open, /undoes it by other topics/],
    [
      'where what is done would be of another kind',
      given(begin()).when(turn(), ok('a')),
      final,
      /has no step b|irreversible/,
    ],
    ['where its input does not fit', begin(), needy, /input does not fit version 2: \/age/],
    ['where a new step comes before what has begun', begun, first, /has step c before one that has begun/],
    ['where a step that has begun is missing', begun, shorter, /has no step b, which is dispatched/],
    ['once it has ended', given(begin()).when(cancelled()), longer, /has ended as CANCELLED/],
  ])('%s', (_, moment, to, why) => {
    const { decision, job } = moved(moment, to);
    expect(decision).toMatchObject({
      status: 'refused',
      code: 'ORCH_INVALID_STATE_TRANSITION',
      detail: expect.stringMatching(why),
    });
    expect(job).toBe(moment.job);
  });

  it('for whoever looked at an older revision', () => {
    expect(moved(begun, longer, begun.job.revision - 1).decision).toMatchObject({ status: 'refused' });
  });
});
