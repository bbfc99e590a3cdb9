/** From what a team writes to the plan the core runs: defaults, order, and mappers that cannot surprise it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LIMITS } from '../../lib/core/limits.ts';
import { hasUndo, type StepPlan } from '../../lib/core/plan.ts';
import { MappingError, none, step, workflow } from '../../lib/definition/index.ts';
import type { StepDraft } from '../../lib/definition/step.ts';
import { bare, only, raw, start } from './support.ts';

function planOf(changed: Partial<StepDraft>): StepPlan {
  const [plan] = only(raw('hotel', changed)).plan.steps;
  if (plan === undefined) throw new Error('the step is gone');
  return plan;
}

function undoOf(changed: Partial<StepDraft>) {
  const plan = planOf(changed);
  if (!hasUndo(plan)) throw new Error('the undo is gone');
  return plan.undo;
}

describe('a workflow in few words', () => {
  it('has the defaults of the limits, and events named after itself', () => {
    const { plan } = only(raw('hotel'));
    expect(plan).toMatchObject({
      type: 'trip',
      version: 1,
      stages: 1,
      recovery: null,
      concurrentUndo: false,
      deadlineMs: LIMITS.jobDeadlineMsDefault,
      undoDeadlineMs: LIMITS.undoDeadlineMsDefault,
      maxRetries: LIMITS.maxRetriesDefault,
      retry: {},
      events: { completed: 'trip:completed', failed: 'trip:failed' },
      quarantine: 'default',
    });
    expect(plan.steps).toMatchObject([
      {
        name: 'hotel',
        stage: 0,
        kind: 'compensatable',
        topic: 'thing:do',
        timeoutMs: LIMITS.stepTimeoutMsDefault,
        retry: {},
        onUnknown: 'retry',
        query: null,
        undo: { topics: ['thing:undo'], map: null, timeoutMs: LIMITS.stepTimeoutMsDefault, retry: {} },
      },
    ]);
  });
});

describe('a workflow that says everything', () => {
  it('is compiled as said, whatever the order it is said in', () => {
    const { plan } = start('trip', 3)
      .quarantine('always')
      .events({ failed: 'trip:off' })
      .stage(
        raw('a', { timeout: '250 ms', retry: { EXT_: { maxAttempts: 2 } } }),
        raw('b', { query: 'thing:find', onUnknown: 'query' }),
      )
      .maxRetries(0)
      .deadline('1.5 h')
      .stage(raw('c', { undo: { topic: 'thing:undo', timeout: '1 min', retry: { maxAttempts: 3 } } }))
      .undoDeadline('7 d')
      .retry({ EXT_TIMEOUT: { maxAttempts: 9 } })
      .recovery('b', 'a', 'c')
      .output(() => null);
    expect(plan).toMatchObject({
      version: 3,
      stages: 2,
      recovery: ['b', 'a', 'c'],
      deadlineMs: 5_400_000,
      undoDeadlineMs: 604_800_000,
      maxRetries: 0,
      retry: { EXT_TIMEOUT: { maxAttempts: 9 } },
      events: { completed: 'trip:completed', failed: 'trip:off' },
      quarantine: 'always',
    });
    expect(plan.steps).toMatchObject([
      { name: 'a', stage: 0, timeoutMs: 250, retry: { EXT_: { maxAttempts: 2 } } },
      { name: 'b', stage: 0, query: { topic: 'thing:find' }, onUnknown: 'query' },
      { name: 'c', stage: 1, undo: { timeoutMs: 60_000, retry: { maxAttempts: 3 } } },
    ]);
    expect(
      start()
        .stage(raw('a'))
        .concurrentUndo()
        .output(() => null).plan.concurrentUndo,
    ).toBe(true);
  });

  it('a builder can be continued twice without the two knowing of each other', () => {
    const common = start().stage(raw('a'));
    const left = common.stage(raw('b')).output(() => null);
    const right = common.stage(raw('c')).output(() => null);
    expect(left.plan.steps.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(right.plan.steps.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('only what reads has no undo at all: other steps say why there is none', () => {
    const { plan } = start()
      .stage(raw('log', { undo: none('a log') }), bare('look', { readOnly: true }))
      .stage(bare('launch', { irreversible: true }))
      .output(() => null);
    expect(plan.steps.map(({ kind, undo }) => [kind, undo])).toEqual([
      ['compensatable', { none: 'a log' }],
      ['readOnly', null],
      ['irreversible', { none: 'irreversible' }],
    ]);
  });
});

describe('mappers', () => {
  const seen = { input: { city: 'Basel' }, outputs: {} };

  it('what a step is sent is plain JSON: members that are undefined are left out', () => {
    expect(planOf({ input: () => ({ a: undefined, b: [{ c: null }] }) }).map(seen)).toEqual({ b: [{ c: null }] });
    expect(Object.keys(Object(planOf({ input: () => ({ a: undefined }) }).map(seen)))).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'the returned value is undefined; return a JSON value, null if there is nothing to say'],
    [
      'a promise',
      Promise.resolve(1),
      'the returned value is a promise; mappers are synchronous, ask outside services in a step',
    ],
    [
      'a date',
      { at: new Date(0) },
      '/at is a Date, which JSON cannot hold; convert it to a string, a finite number or a plain object',
    ],
    [
      'no number',
      { 'a/b': [Number.NaN] },
      '/a~1b/0 is a number, which JSON cannot hold; convert it to a string, a finite number or a plain object',
    ],
    ['a hole in a list', [undefined], '/0 is undefined; return a JSON value, null if there is nothing to say'],
  ])('%s is refused as a body, with its place', (_name, returned, why) => {
    const { map } = planOf({ input: () => returned });
    expect(() => map(seen)).toThrow(
      new MappingError('workflow trip (version 1), step hotel', 'its input mapper', new Error(why)),
    );
  });

  it('a mapper that throws names its step, and keeps the cause', () => {
    const cause = new TypeError('no such city');
    const failing = (): never => {
      throw cause;
    };
    const where = 'workflow trip (version 1), step hotel: ';
    expect(() => planOf({ input: failing }).map(seen)).toThrow(`${where}its input mapper failed: no such city`);
    const undo = undoOf({ undo: { topics: ['thing:undo', 'thing:refund'], choose: failing, input: failing } });
    expect(() => undo.choose(null)).toThrow(`${where}its choice of an undo failed: no such city`);
    expect(() => undo.map?.({}, null)).toThrow(`${where}the input mapper of its undo failed: no such city`);
    const { plan } = start().stage(raw('hotel')).output(failing);
    expect(() => plan.output(seen)).toThrow(expect.objectContaining({ name: 'MappingError', cause }));
    expect(() => plan.output(seen)).toThrow('workflow trip (version 1): its output mapper failed: no such city');
  });

  it('a step that reads an output which is not there fails under its name', () => {
    const reading = planOf({ input: ({ outputs }) => Reflect.get(Object(outputs.car), 'plate').length });
    expect(() => reading.map(seen)).toThrow(/^workflow trip \(version 1\), step hotel: its input mapper failed: /);
  });
});

describe('undo', () => {
  it('has one topic unless it chooses', () => {
    expect(undoOf({}).choose({ id: 'h1' })).toBe('thing:undo');
    expect(undoOf({ undo: { topic: 'thing:undo' } }).choose(null)).toBe('thing:undo');
  });

  it('chooses by what the step answered, null when that is unknown or does not fit the schema', () => {
    const { topics, choose } = undoOf({
      undo: {
        topics: ['thing:cancel', 'thing:refund'],
        choose: (output) => (output === null ? 'thing:cancel' : 'thing:refund'),
      },
    });
    expect(topics).toEqual(['thing:cancel', 'thing:refund']);
    expect(choose({ id: 'h1' })).toBe('thing:refund');
    expect(choose(null)).toBe('thing:cancel');
    expect(choose({ id: 7 })).toBe('thing:cancel');
  });

  it('a choice outside the declared topics is refused', () => {
    const { choose } = undoOf({ undo: { topics: ['thing:cancel', 'thing:refund'], choose: () => 'thing:burn' } });
    expect(() => choose(null)).toThrow(
      "it chose 'thing:burn', which is not among the declared topics thing:cancel, thing:refund; add it to undo.topics",
    );
  });

  it('is mapped from what was sent and what was answered', () => {
    const undo = undoOf({ undo: { topic: 'thing:undo', input: ({ input, output }) => ({ was: input, got: output }) } });
    expect(undo.map?.({ city: 'Basel' }, { id: 'h1' })).toEqual({ was: { city: 'Basel' }, got: { id: 'h1' } });
    expect(undo.map?.({ city: 'Basel' }, null)).toEqual({ was: { city: 'Basel' }, got: null });
  });

  it('sees answers as the schema reads them', () => {
    const { plan } = workflow('trip', 1)
      .input(z.strictObject({}))
      .stage(
        step('hotel', {
          topic: 'hotel:book',
          input: () => ({}),
          output: z.object({ until: z.string().transform((text) => new Date(text)) }),
          undo: { topic: 'hotel:cancel', input: ({ output }) => ({ year: output?.until.getUTCFullYear() }) },
        }),
      )
      .output(() => null);
    const [hotel] = plan.steps;
    expect(hotel && hasUndo(hotel) && hotel.undo.map?.({}, { until: '2031-05-01T00:00:00Z' })).toEqual({ year: 2031 });
  });
});
