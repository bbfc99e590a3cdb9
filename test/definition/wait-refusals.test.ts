/** Waits that are refused when a definition is built: each complaint says what to write instead. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approval, DefinitionError, type Step, signal, sleep, step, workflow } from '../../lib/definition/index.ts';

type Any = Step<string, unknown, unknown, Record<never, never>>;

const start = workflow('trip', 1).input(z.object({}));

function problemsOf(...steps: Any[]): readonly string[] {
  try {
    let built = start as unknown as { stage(one: Any): typeof built; output(map: () => null): unknown };
    for (const one of steps) built = built.stage(one);
    built.output(() => null);
    return [];
  } catch (error) {
    if (error instanceof DefinitionError)
      return error.problems.map((problem) => problem.replace(/^.*?\): |^.*?step \S+: /, ''));
    throw error;
  }
}

const word = z.object({ word: z.string() });
const call = { topic: 'a:b', readOnly: true, input: () => ({}), output: z.null() } as const;

describe('a wait', () => {
  it.each<[string, Any, RegExp]>([
    ['longer than the whole job', sleep('nap', '2 d'), /waits up to 2 d and the whole job ends after 1 d/],
    ['that is no duration', sleep('nap', 'a while' as '1 s'), /'a while' is not a duration/],
    ['for a signal without an end', signal('w', { output: word } as never), /within is missing; a wait has an end/],
    [
      'for a signal nobody can address',
      signal('w', { output: word, within: '1 h', signal: 'No Name' }),
      /not a signal name/,
    ],
    [
      'that fails with no code',
      signal('w', { output: word, within: '1 h', onTimeout: { fail: 'late' } }),
      /not an error code/,
    ],
    [
      'that goes on with what nobody would have sent',
      signal('w', { output: word, within: '1 h', onTimeout: { output: 7 as never } }),
      /does not fit the output schema/,
    ],
    ['for a person without an end', approval('a', {} as never), /expires is missing/],
    [
      'that is called to mind all the time',
      approval('a', { expires: '2 h', remind: '1 min' }),
      /120 times.*100 is the most/,
    ],
    [
      'that expects a heartbeat after its end',
      step('s', { ...call, later: { within: '1 min', heartbeat: '1 h' } }),
      /heartbeat is not shorter than later.within/,
    ],
  ])('%s is refused', (_what, one, complaint) => {
    expect(problemsOf(one)).toEqual([expect.stringMatching(complaint)]);
  });

  it('for a signal that another step waits for is refused', () => {
    const twice = [
      signal('a', { output: word, within: '1 h', signal: 'go' }),
      signal('b', { output: word, within: '1 h', signal: 'go' }),
    ];
    expect(problemsOf(...twice)).toEqual([expect.stringContaining("signal 'go' is waited for twice")]);
  });

  it('that is right is taken', () => {
    const right = [
      sleep('nap', '1 h'),
      signal('w', { output: word, within: '1 h' }),
      approval('a', { expires: '7 h', remind: '1 h' }),
    ];
    expect(problemsOf(...right)).toEqual([]);
  });
});
