/** Every step that is refused when its workflow is built: the message names the place, the fault and the remedy. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { none } from '../../lib/definition/index.ts';
import type { StepDraft } from '../../lib/definition/step.ts';
import { bare, only, problemsOf, raw } from './support.ts';

const HERE = 'workflow trip (version 1), step hotel: ';
const refused = (changed: Partial<StepDraft>): readonly string[] => problemsOf(() => only(raw('hotel', changed)));
const refusedBare = (changed: Partial<StepDraft>): readonly string[] => problemsOf(() => only(bare('hotel', changed)));

describe('a step is taken', () => {
  it.each<[string, Partial<StepDraft>]>([
    ['with an undo topic', {}],
    ['with a reason for having no undo', { undo: none('only counts visits') }],
    [
      'with an undo chosen among topics',
      { undo: { topics: ['thing:undo', 'thing:refund'], choose: () => 'thing:undo' } },
    ],
    ['settled by its query', { query: 'thing:find', onUnknown: 'query' }],
    ['settled by compensating it', { onUnknown: 'compensate' }],
    [
      'with overrides by code, prefix and for unknown codes',
      { retry: { EXT_TIMEOUT: {}, EXT_: {}, MY_OWN: {}, '': {} } },
    ],
    ['with the longest timeout', { timeout: '90 s' }],
  ])('%s', (_name, changed) => {
    expect(refused(changed)).toEqual([]);
  });

  it('when it only reads', () => expect(refusedBare({ readOnly: true })).toEqual([]));
  it('when it cannot be undone and says so', () =>
    expect(refusedBare({ irreversible: true, onUnknown: 'review' })).toEqual([]));
});

describe('the way back', () => {
  it('an effect without undo or reason is refused', () => {
    expect(refusedBare({})).toEqual([
      `${HERE}it may have an effect and no way back; give undo: 'service:action', undo: none('why'), readOnly: true or irreversible: true`,
    ]);
  });

  it.each(['', '  \n'])('none(%j) is refused for giving no reason', (why) => {
    expect(refused({ undo: none(why) })).toEqual([
      `${HERE}none('') gives no reason; say why nothing is to be undone: none('only writes a log line')`,
    ]);
  });

  it('a readOnly step with an undo is refused', () => {
    expect(refused({ readOnly: true })).toEqual([
      `${HERE}a readOnly step has nothing to undo; remove undo, or remove readOnly`,
    ]);
  });

  it('an irreversible step with an undo is refused', () => {
    expect(refused({ irreversible: true })).toEqual([
      `${HERE}an irreversible step cannot be undone; remove undo, or remove irreversible`,
    ]);
  });

  it('a step that claims to be readOnly and irreversible is refused', () => {
    expect(refusedBare({ readOnly: true, irreversible: true })).toEqual([
      `${HERE}it cannot be readOnly and irreversible; keep readOnly if it changes nothing, irreversible if it cannot be undone`,
    ]);
  });

  it('an undo that names no topic is refused', () => {
    expect(refused({ undo: { topics: [], choose: () => '' } })).toEqual([
      `${HERE}undo names no topic; write undo: 'service:action', or list topics to choose from`,
    ]);
  });

  it('several undo topics without a choice are refused', () => {
    expect(refused({ undo: { topics: ['thing:undo', 'thing:refund'] } })).toEqual([
      `${HERE}undo lists several topics and no way to choose; add choose: (output) => topic`,
    ]);
  });

  it('an undo topic listed twice is refused', () => {
    expect(refused({ undo: { topics: ['thing:undo', 'thing:undo'], choose: () => 'thing:undo' } })).toEqual([
      `${HERE}undo names a topic twice; list each once`,
    ]);
  });
});

describe('unknown outcomes', () => {
  it("onUnknown 'query' without a query topic is refused", () => {
    expect(refused({ onUnknown: 'query' })).toEqual([
      `${HERE}onUnknown 'query' needs something to ask; add query: 'service:find', or use 'retry'`,
    ]);
  });

  it('onUnknown and query on a readOnly step are refused', () => {
    expect(refusedBare({ readOnly: true, onUnknown: 'retry', query: 'thing:find' })).toEqual([
      `${HERE}a readOnly step is never unknown, it is just asked again; remove onUnknown`,
      `${HERE}a readOnly step has no effect to ask about; remove query`,
    ]);
  });

  it("onUnknown 'compensate' is refused where nothing can be compensated", () => {
    expect(refusedBare({ irreversible: true, onUnknown: 'compensate' })).toEqual([
      `${HERE}an irreversible step cannot be settled by compensating it; use 'retry', 'query' or 'review'`,
    ]);
    expect(refused({ undo: none('only counts'), onUnknown: 'compensate' })).toEqual([
      `${HERE}a step without undo cannot be settled by compensating it; use 'retry', 'query' or 'review'`,
    ]);
  });
});

describe('names', () => {
  it.each(['', 'Hotel', '1hotel', 'book_hotel', 'hotel.room', 'h'.repeat(41)])('step name %j is refused', (name) => {
    expect(problemsOf(() => only(raw(name)))).toEqual([
      `workflow trip (version 1), step ${name}: '${name}' is not a step name; use a small letter, then at most 39 small letters, digits or hyphens`,
    ]);
  });

  it('the step name undo is refused, for operation ids use it', () => {
    expect(problemsOf(() => only(raw('undo')))).toEqual([
      "workflow trip (version 1), step undo: 'undo' is reserved for operation ids; name the step after what it does",
    ]);
  });

  it.each(['', 'hotel', 'Hotel:book', 'hotel:', ':book', 'hotel:book:now', 'arn:aws:sqs', 'https://hotel'])(
    'topic %j is refused, forward, as undo and as query',
    (topic) => {
      const what = `'${topic}' is not a topic; write 'service:action' in small letters: 'tenant:create'`;
      expect(refused({ topic })).toEqual([`${HERE}topic ${what}`]);
      expect(refused({ undo: topic })).toEqual([`${HERE}undo topic ${what}`]);
      expect(refused({ query: topic })).toEqual([`${HERE}query topic ${what}`]);
    },
  );

  it('a step that would undo or query itself by repeating itself is refused', () => {
    expect(refused({ undo: 'thing:do', query: 'thing:do' })).toEqual([
      `${HERE}query topic 'thing:do' is the step's own topic and would repeat it; name another one`,
      `${HERE}undo topic 'thing:do' is the step's own topic and would repeat it; name another one`,
    ]);
  });
});

describe('numbers and schemas', () => {
  it.each(['10', '10s', 's', '-1 s', '1e3 s', '10 hours'])(
    'timeout %j is refused for not being a duration',
    (timeout) => {
      expect(refused({ timeout })).toEqual([
        `${HERE}timeout '${timeout}' is not a duration; write a number, a space and ms, s, min, h or d: '10 s'`,
      ]);
    },
  );

  it.each(['0 s', '91 s', '1 d'])('timeout %j is refused for being out of bounds, on the undo too', (timeout) => {
    const why = `timeout '${timeout}' is out of bounds; write one from '1 ms' to '90 s'`;
    expect(refused({ timeout })).toEqual([`${HERE}${why}`]);
    expect(refused({ undo: { topic: 'thing:undo', timeout } })).toEqual([`${HERE}undo ${why}`]);
  });

  it('a retry override that could never match is refused', () => {
    expect(refused({ retry: { EXT_MINE_: {} } })).toEqual([
      `${HERE}retry 'EXT_MINE_' matches no error; write a whole code such as EXT_TIMEOUT, or one of ORCH_RETRYABLE_, CONTRACT_, LEGAL_, ORCH_, EXT_, DQ_`,
    ]);
  });

  it('a retry override out of range is refused, on the undo too', () => {
    expect(refused({ retry: { EXT_: { maxAttempts: 0 } } })).toEqual([
      `${HERE}retry EXT_ maxAttempts: Too small: expected number to be >=1`,
    ]);
    expect(refused({ undo: { topic: 'thing:undo', retry: { backoffBaseSeconds: -1 } } })).toEqual([
      `${HERE}undo retry backoffBaseSeconds: Too small: expected number to be >0`,
    ]);
  });

  it('an output schema that JSON cannot meet is refused', () => {
    const [problem] = refused({ output: z.object({ at: z.date() }) });
    expect(problem).toContain(`${HERE}the output schema does not describe JSON`);
    expect(problem).toContain('use strings, numbers, booleans, null, arrays and objects');
  });

  it('an asynchronous refinement is refused, however deep it sits', () => {
    const slow = z.string().refine(async () => true);
    expect(refused({ output: z.object({ list: z.array(z.object({ id: slow })) }) })).toEqual([
      `${HERE}the output schema has an asynchronous rule; rules are synchronous, ask outside services in a step instead`,
    ]);
  });
});
