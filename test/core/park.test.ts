/** Gates: what is held is parked once, spends nothing, and goes on when its gate is released, or ends by its deadline. */
import { describe, expect, it } from 'vitest';
import { dependencyGate, FREE, type Pass } from '../../lib/core/gates.ts';
import { outlook } from '../../lib/core/outlook.ts';
import type { Route } from '../../lib/core/plan.ts';
import {
  answered,
  callOf,
  callsOf,
  cancelled,
  DAY,
  doubt,
  driverFor,
  failed,
  found,
  given,
  happens,
  later,
  lost,
  MAX_RUN_MS,
  MINUTE,
  type Moment,
  notApplied,
  ok,
  pathOf,
  queryOf,
  refused,
  SECOND,
  stateOf,
  statusOf,
  step,
  T0,
  turn,
  undoAnswered,
  undone,
  type When,
  workflow,
} from './support.ts';

const held = (target: string): Pass => ({ pass: 'held', by: dependencyGate(target) });

/** From now on these targets answer so; all others are free. */
function gates(passes: Readonly<Record<string, Pass>>): When {
  return (moment) => ({ ...moment, rules: { ...moment.rules, gate: ({ target }) => passes[target] ?? FREE } });
}

/** From now on `a:do`, `a:undo` and `a:find` lead to these targets, in this order. */
function routed(first: string, ...others: readonly string[]): When {
  const target = (name: string) => ({ target: name, fencing: true, maxRunMs: MAX_RUN_MS });
  const route: Route = { ...target(first), alternatives: others.map(target) };
  return (moment) => {
    const before = moment.rules.route;
    return {
      ...moment,
      rules: { ...moment.rules, route: (topic) => (topic.startsWith('a:') ? route : before(topic)) },
    };
  };
}

function released(gate: string, startAt?: number): When {
  return (moment) => happens(moment, { type: 'released', gate, startAt: startAt ?? moment.now });
}

const down = (...targets: readonly string[]): When =>
  gates(Object.fromEntries(targets.map((name) => [name, held(name)])));
const up = gates({});
const plan = workflow([[step('a')], [step('b')]]);
const nextOf = ({ job, plan: of, rules, now }: Moment) => outlook(job, of, rules, driverFor(job), now);

describe('a step whose dependency is held', () => {
  const parked = given(plan).when(down('a'), turn());

  it('is parked in the same write, and its job waits for the gate until the deadline', () => {
    expect(pathOf(parked.job)).toEqual(['PENDING', 'VALIDATING', 'PROCESSING', 'RETRY_SCHEDULED']);
    expect(parked.job).toMatchObject({ parkedOn: 'dependency:a', nextActionAt: parked.job.deadlineAt, revision: 1 });
    expect(parked.job.bucket).toBe(T0 + DAY);
    expect(parked.job.history.at(-1)).toMatchObject({
      reason: 'parked: dependency a is not available',
      errorCode: 'ORCH_DEPENDENCY_UNAVAILABLE',
      step: 'a',
    });
    expect(parked.job.errorLog).toMatchObject([{ step: 'a', attempt: 0, errorCode: 'ORCH_DEPENDENCY_UNAVAILABLE' }]);
    expect(nextOf(parked)).toEqual({ next: 'held', by: 'dependency:a' });
  });

  it('has made no call and spent nothing', () => {
    expect(callsOf(parked)).toEqual([]);
    expect(stateOf(parked, 'a')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(parked.job.retryCount).toBe(0);
  });

  it('parks once: another look changes nothing, also when the gate has opened but has not released it', () => {
    for (const moment of [given(parked).when(turn()), given(parked).when(up, later(MINUTE), turn())]) {
      expect(moment.decision).toEqual({ status: 'ignored', reason: 'nothing_due' });
    }
  });

  it('is called when its gate has released it, not before its turn', () => {
    const waits = given(parked).when(up, released('dependency:a', T0 + 3 * SECOND));
    expect(waits.job).toMatchObject({ parkedOn: null, nextActionAt: T0 + 3 * SECOND, state: 'RETRY_SCHEDULED' });
    expect(callsOf(given(waits).when(later(2 * SECOND), turn()))).toEqual([]);
    const called = given(waits).when(later(3 * SECOND), turn());
    expect(callsOf(called)).toEqual(['a do 1']);
    expect(pathOf(called.job).at(-1)).toBe('PROCESSING');
    expect(given(called).when(ok('a'), ok('b')).job).toMatchObject({ state: 'COMPLETED', retryCount: 0 });
  });

  it('stays parked under its gate while that still holds it, and moves to another one that does', () => {
    expect(given(parked).when(released('dependency:a')).decision).toEqual({ status: 'ignored', reason: 'nothing_due' });
    const paused = given(parked).when(gates({ a: { pass: 'held', by: 'pause:p1' } }), released('dependency:a'));
    expect(paused.job).toMatchObject({ parkedOn: 'pause:p1', nextActionAt: paused.job.deadlineAt });
    expect(given(parked).when(up, released('dependency:b')).decision?.status).toBe('ignored');
  });

  it('is parked again, with what held it, when its retry comes due', () => {
    const moment = given(plan).when(
      turn(),
      answered('a', notApplied('EXT_X', MINUTE)),
      down('a'),
      later(MINUTE),
      turn(),
    );
    expect(statusOf(moment, 'a')).toBe('retry_scheduled');
    expect(pathOf(moment.job).slice(-3)).toEqual(['RETRY_SCHEDULED', 'PROCESSING', 'RETRY_SCHEDULED']);
    expect(moment.job).toMatchObject({ parkedOn: 'dependency:a', retryCount: 1 });
    expect(stateOf(moment, 'a').attempts).toBe(1);
  });

  it('keeps a sibling from nothing: the job parks when nothing is in flight any more', () => {
    const wide = workflow([[step('a'), step('b')], [step('c')]]);
    const half = given(wide).when(down('b'), turn());
    expect(callsOf(half)).toEqual(['a do 1']);
    expect(half.job).toMatchObject({ state: 'PROCESSING', parkedOn: 'dependency:b' });
    const moment = given(half).when(ok('a'));
    expect(moment.job).toMatchObject({ state: 'RETRY_SCHEDULED', parkedOn: 'dependency:b' });
    expect(callsOf(given(moment).when(up, released('dependency:b'), turn()))).toEqual(['a do 1', 'b do 1']);
  });

  it('ends by the deadline of its job, and by a cancel', () => {
    const late = given(parked).when(later(DAY), turn());
    expect(late.job).toMatchObject({ state: 'DEAD_LETTERED', parkedOn: null, stoppedReason: 'ORCH_DEADLINE_EXCEEDED' });
    expect(late.job.lastErrorCode).toBe('ORCH_DEPENDENCY_UNAVAILABLE');
    expect(given(parked).when(cancelled()).job).toMatchObject({ state: 'CANCELLED', parkedOn: null });
  });

  it('that is in doubt past the pivot asks for a person at the deadline', () => {
    const last = workflow([[step('a', { kind: 'irreversible' })]]);
    const moment = given(last).when(turn(), lost('a'), down('a'), later(MINUTE), turn());
    expect(moment.job).toMatchObject({ parkedOn: 'dependency:a', nextActionAt: moment.job.deadlineAt });
    expect(given(moment).when(later(DAY), turn()).job).toMatchObject({ state: 'NEEDS_REVIEW', parkedOn: null });
  });

  it('settles by a late success as it would anywhere', () => {
    const moment = given(plan).when(turn(), lost('a'), down('a'), later(MINUTE), turn(), ok('a'));
    expect(callsOf(moment)).toEqual(['a do 1', 'b do 1']);
    expect(moment.job.parkedOn).toBeNull();
  });
});

describe('a query that is held', () => {
  it('is parked, and asked when released', () => {
    const asks = workflow([[step('a', { onUnknown: 'query', query: queryOf('a') })]]);
    const moment = given(asks).when(turn(), down('a'), lost('a'));
    expect(moment.job).toMatchObject({ state: 'RETRY_SCHEDULED', parkedOn: 'dependency:a' });
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'unknown', queries: 0 });
    const asked = given(moment).when(up, released('dependency:a'), turn());
    expect(callsOf(asked)).toEqual(['a do 1', 'a query 1']);
    expect(given(asked).when(found('a', { state: 'applied', output: { id: 1 } })).job.state).toBe('COMPLETED');
  });
});

describe('an undo that is held', () => {
  const turned = given(plan).when(turn(), ok('a'), refused('b'), down('a'), turn());

  it('is parked: the job stays as it is, and no attempt is spent', () => {
    expect(turned.job).toMatchObject({ state: 'COMPENSATING', parkedOn: 'dependency:a', nextActionAt: T0 + DAY });
    expect([statusOf(turned, 'a'), stateOf(turned, 'a').undo]).toEqual(['succeeded', null]);
    expect(turned.job.errorLog.at(-1)).toMatchObject({ message: 'undo: dependency a is not available', attempt: 0 });
    expect(nextOf(turned)).toEqual({ next: 'held', by: 'dependency:a' });
  });

  it('is called in its turn when released', () => {
    const waits = given(turned).when(up, released('dependency:a', T0 + 4 * SECOND));
    expect(waits.job).toMatchObject({ parkedOn: null, nextActionAt: T0 + 4 * SECOND });
    expect(callsOf(given(waits).when(turn())).at(-1)).toBe('b do 1');
    const moment = given(waits).when(later(4 * SECOND), turn(), undone('a'));
    expect(moment.job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('that had begun keeps its attempts, and goes on with the next', () => {
    const begun = given(plan).when(turn(), ok('a'), refused('b'), turn(), undoAnswered('a', notApplied()));
    const parked = given(begun).when(down('a'), later(MINUTE), turn());
    expect(parked.job.parkedOn).toBe('dependency:a');
    expect(stateOf(parked, 'a').undo?.attempts).toBe(1);
    const again = given(parked).when(up, released('dependency:a'), turn());
    expect(callOf(again, 'a', 'undo')).toMatchObject({ attempt: 2 });
  });

  it('asks for a person when the time for undos is used up', () => {
    const moment = given(turned).when(later(DAY), turn());
    expect(moment.job).toMatchObject({ state: 'NEEDS_REVIEW', outcome: 'partially_rolled_back', parkedOn: null });
    expect(stateOf(moment, 'a')).toMatchObject({
      status: 'compensation_failed',
      undo: { attempts: 0, errorCode: 'ORCH_DEPENDENCY_UNAVAILABLE' },
    });
  });
});

describe('a probe', () => {
  const asks = gates({ a: { pass: 'probe' } });

  it('is one real call that costs no attempt and no retry, however often it fails', () => {
    let moment = given(plan, { policies: { EXT_: { maxAttempts: 2, jitter: 'none' } } }).when(down('a'), turn());
    for (let probe = 1; probe <= 30; probe += 1) {
      moment = given(moment).when(asks, released('dependency:a'), turn(), down('a'), failed('a', 'EXT_UNAVAILABLE'));
      moment = given(moment).when(later(MINUTE), turn());
      expect(stateOf(moment, 'a')).toMatchObject({ status: 'retry_scheduled', attempts: probe, attemptsBefore: probe });
    }
    expect(moment.job).toMatchObject({ retryCount: 0, parkedOn: 'dependency:a' });
    const well = given(moment).when(up, released('dependency:a'), turn(), failed('a', 'EXT_UNAVAILABLE'));
    expect([statusOf(well, 'a'), well.job.retryCount]).toEqual(['retry_scheduled', 1]);
  });

  it('is not made beside a sibling at the same dependency', () => {
    const wide = workflow([[step('a', { topic: 'x:one' }), step('b', { topic: 'x:two' })]]);
    const moment = given(wide).when(gates({ x: { pass: 'probe' } }), turn());
    expect(callsOf(moment)).toEqual(['a do 1']);
    expect(moment.job.parkedOn).toBe('dependency:x');
  });
});

describe('a topic with an alternative', () => {
  const one = workflow([[step('a', { onUnknown: 'query', query: queryOf('a') })], [step('b')]]);
  const two = routed('first', 'second');

  it('leads to the first target that is free, which the step keeps', () => {
    expect(callOf(given(one).when(two, turn()), 'a').target).toBe('first');
    const moment = given(one).when(two, down('first'), turn());
    expect(callOf(moment, 'a').target).toBe('second');
    expect(stateOf(moment, 'a').target).toBe('second');
  });

  it('takes a degraded target only when nothing better is there, and never one that its route forbids', () => {
    const degraded: Pass = { pass: 'degraded' };
    expect(callOf(given(one).when(two, gates({ first: degraded }), turn()), 'a').target).toBe('second');
    expect(callOf(given(one).when(two, gates({ first: degraded, second: held('second') }), turn()), 'a').target).toBe(
      'first',
    );
    const strict = given(one).when(two, (moment) => {
      const { route } = moment.rules;
      return { ...moment, rules: { ...moment.rules, route: (topic) => forbidding(route(topic)) } };
    });
    expect(given(strict).when(gates({ first: degraded, second: held('second') }), turn()).job.parkedOn).toBe(
      'dependency:first',
    );
  });

  it('is tried elsewhere after an attempt that did not apply, and only there where one may have', () => {
    const elsewhere = given(one).when(
      two,
      turn(),
      down('first'),
      failed('a', 'EXT_UNAVAILABLE'),
      later(MINUTE),
      turn(),
    );
    expect(callOf(elsewhere, 'a')).toMatchObject({ target: 'second', attempt: 2 });
    const doubtful = given(one).when(two, turn(), down('first'), answered('a', doubt()), later(MINUTE), turn());
    expect(callsOf(doubtful)).toEqual(['a do 1']);
    expect(doubtful.job.parkedOn).toBe('dependency:first');
  });

  it('is undone and asked about where it was applied', () => {
    const away = given(one).when(two, down('first'), turn(), ok('a'), up, refused('b'), turn());
    expect(callOf(away, 'a', 'undo').target).toBe('second');
    const asked = given(one).when(two, down('first'), turn(), up, lost('a'));
    expect(callOf(asked, 'a', 'query').target).toBe('second');
  });

  it('is released when either is free again, and stays when its target is fixed', () => {
    const both = given(one).when(two, down('first', 'second'), turn());
    expect(both.job.parkedOn).toBe('dependency:first');
    const moment = given(both).when(down('first'), released('dependency:first'), turn());
    expect(callOf(moment, 'a').target).toBe('second');
    const doubtful = given(one).when(two, turn(), down('first'), lost('a'), released('dependency:first'));
    expect(doubtful.decision?.status).toBe('ignored');
  });
});

function forbidding(route: Route | undefined): Route | undefined {
  return route === undefined ? undefined : { ...route, allowDegraded: false };
}
