/** Every workflow that is refused as a whole when it is built: names, rules, order of stages, order of recovery. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { none, workflow } from '../../lib/definition/index.ts';
import { bare, only, problemsOf, raw, start } from './support.ts';

const HERE = 'workflow trip (version 1): ';
const nothing = (): null => null;
/** Typed as a workflow in the making, whatever the types would say. */
const misuse = (value: unknown): never => value as never;

describe('the head', () => {
  it.each(['', 'Trip', 'trip_plan', 'trip:plan'])('workflow type %j is refused', (type) => {
    expect(
      problemsOf(() => start(type).stage(raw('a')).events({ completed: 't:c', failed: 't:f' }).output(nothing)),
    ).toEqual([
      `workflow ${type} (version 1): '${type}' is not a workflow type; use a small letter, then at most 39 small letters, digits or hyphens`,
    ]);
  });

  it.each([0, -1, 1.5, Number.NaN])('version %d is refused', (version) => {
    expect(problemsOf(() => start('trip', version).stage(raw('a')).output(nothing))).toEqual([
      `workflow trip (version ${version}): version ${version} is not a version; count them 1, 2, 3`,
    ]);
  });

  it('a missing input schema is refused', () => {
    expect(problemsOf(() => workflow('trip', 1).input(misuse(undefined)).stage(raw('a')).output(nothing))).toEqual([
      `${HERE}the input schema is missing; give a zod schema such as z.strictObject({ ... })`,
    ]);
  });

  it('an input schema with an asynchronous refinement is refused', () => {
    const slow = z.strictObject({ city: z.string() }).refine(async () => true);
    expect(problemsOf(() => workflow('trip', 1).input(slow).stage(raw('a')).output(nothing))).toEqual([
      `${HERE}the input schema has an asynchronous rule; rules are synchronous, ask outside services in a step instead`,
    ]);
  });
});

describe('stages', () => {
  it('a workflow without a stage is refused', () => {
    expect(problemsOf(() => start().output(nothing))).toEqual([`${HERE}it has no stage; add .stage(step(...))`]);
  });

  it('a stage without a step is refused', () => {
    expect(problemsOf(() => start().stage(raw('a')).stage(misuse(undefined)).output(nothing))).toEqual([
      `${HERE}stage 2 has no step; put one in or remove the stage`,
    ]);
  });

  it('more steps than a job holds are refused', () => {
    let long = start().stage(raw('s0'));
    for (let n = 1; n <= 200; n += 1) long = misuse(long.stage(raw(`s${n}`)));
    expect(problemsOf(() => long.output(nothing))).toEqual([
      `${HERE}it has 201 steps and a job holds 200; split it into several workflows`,
    ]);
  });

  it('one name for two steps is refused, in one stage or in two', () => {
    const twice = [`${HERE}step name 'a' is used twice; outputs are read by name, give each its own`];
    expect(problemsOf(() => start().stage(raw('a'), raw('a')).output(nothing))).toEqual(twice);
    expect(problemsOf(() => start().stage(raw('a')).stage(raw('a')).output(nothing))).toEqual(twice);
  });
});

describe('irreversible steps', () => {
  const launch = bare('launch', { irreversible: true });

  it('nothing runs beside one, whatever kind it is', () => {
    const place = 'workflow trip (version 1), step launch: an irreversible step stands alone in its stage; ';
    expect(problemsOf(() => start().stage(raw('fuel'), launch).output(nothing))).toEqual([
      `${place}move fuel into a stage before it`,
    ]);
    expect(
      problemsOf(() =>
        start()
          .stage(launch, bare('watch', { readOnly: true }))
          .output(nothing),
      ),
    ).toEqual([`${place}move watch into a stage before it`]);
  });

  it('nothing that may have to be undone comes after one, in any later stage', () => {
    const late = start()
      .stage(launch)
      .stage(bare('watch', { readOnly: true }))
      .stage(raw('dock'));
    expect(problemsOf(() => late.output(nothing))).toEqual([
      'workflow trip (version 1), step dock: a compensatable step cannot follow the irreversible launch; put it into a stage before launch',
    ]);
    expect(
      problemsOf(() =>
        start()
          .stage(launch)
          .stage(raw('log', { undo: none('a log') }))
          .output(nothing),
      ),
    ).toHaveLength(1);
  });

  it('reading, or another irreversible step, may come after one', () => {
    const fine = start()
      .stage(raw('fuel'))
      .stage(launch)
      .stage(bare('watch', { readOnly: true }), bare('listen', { readOnly: true }))
      .stage(bare('release', { irreversible: true }));
    expect(problemsOf(() => fine.output(nothing))).toEqual([]);
  });
});

describe('recovery', () => {
  const three = start()
    .stage(raw('a'))
    .stage(raw('b'), raw('log', { undo: none('a log') }))
    .stage(bare('look', { readOnly: true }));
  const whole = 'list each step that has an undo once: a, b';

  it('an order of exactly the steps with an undo is taken', () => {
    expect(problemsOf(() => three.recovery('a', 'b').output(nothing))).toEqual([]);
  });

  it('a step left out is named', () => {
    expect(problemsOf(() => three.recovery('b').output(nothing))).toEqual([`${HERE}recovery leaves out a; ${whole}`]);
  });

  it('a name that is no step, or a step without an undo, is named', () => {
    expect(problemsOf(() => three.recovery('b', 'a', misuse('c'), 'log', 'look').output(nothing))).toEqual([
      `${HERE}recovery names c, log, look, which no step with an undo is called; ${whole}`,
    ]);
  });

  it('a step named twice is refused', () => {
    expect(problemsOf(() => three.recovery('b', 'a', 'b').output(nothing))).toEqual([
      `${HERE}recovery names b twice; ${whole}`,
    ]);
  });

  it('an order together with concurrent undo is refused', () => {
    expect(problemsOf(() => three.recovery('b', 'a').concurrentUndo().output(nothing))).toEqual([
      `${HERE}recovery gives an order and concurrentUndo gives it up; keep one of them`,
    ]);
  });
});

describe('rules', () => {
  const one = start().stage(raw('a'));

  it.each(['deadline', 'undoDeadline'] as const)('a %s that is no duration or out of bounds is refused', (rule) => {
    expect(problemsOf(() => one[rule](misuse('tomorrow')).output(nothing))).toEqual([
      `${HERE}${rule} 'tomorrow' is not a duration; write a number, a space and ms, s, min, h or d: '10 s'`,
    ]);
    for (const written of ['0 s', '366 d'] as const) {
      expect(problemsOf(() => one[rule](written).output(nothing))).toEqual([
        `${HERE}${rule} '${written}' is out of bounds; write one from '1 ms' to '365 d'`,
      ]);
    }
  });

  it.each([-1, 0.5, Number.POSITIVE_INFINITY])('maxRetries %d is refused', (count) => {
    expect(problemsOf(() => one.maxRetries(count).output(nothing))).toEqual([
      `${HERE}maxRetries ${count} is not a count; write 0, 1, 2, ... (default 20)`,
    ]);
  });

  it('a retry override with a field that no policy has is refused', () => {
    expect(problemsOf(() => one.retry({ EXT_: misuse({ attempts: 3 }) }).output(nothing))).toEqual([
      `${HERE}retry EXT_ attempts: this field is not known here`,
    ]);
  });

  it('an event name of another form is refused', () => {
    const long = `trip:${'x'.repeat(124)}`;
    for (const name of ['Booked', 'trip booked', 'job.needs_review', long]) {
      expect(problemsOf(() => one.events({ completed: name }).output(nothing))).toEqual([
        `${HERE}event name '${name}' is not one; write 'thing:happened' in small letters, at most 128 characters`,
      ]);
    }
  });

  it('one event name for both ends is refused, also when one of them is the default', () => {
    expect(problemsOf(() => one.events({ completed: 'trip:failed' }).output(nothing))).toEqual([
      `${HERE}both ends have the event 'trip:failed'; give success and failure different names`,
    ]);
  });
});

it('everything that is wrong is said at once, one line each', () => {
  const build = (): unknown => only(raw('undo', { topic: 'x', timeout: '5 min' }));
  expect(problemsOf(build)).toHaveLength(3);
  expect(build).toThrow(problemsOf(build).join('\n'));
});
