/** How large what participants say may be: one byte below, at, and over each limit, in text of more than one byte a letter. */
import { describe, expect, it } from 'vitest';
import { failure } from '../../lib/core/answers.ts';
import { byteLength, cutText, type Json, jsonBytes } from '../../lib/core/json.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { given, ok, refused, stateOf, step, turn, undoBy, workflow } from './support.ts';

const MOST = LIMITS.outputBytesMax;

/** A document of exactly so many bytes as JSON, most of them in letters of two bytes. */
function documentOf(bytes: number): Json {
  const room = bytes - jsonBytes({ text: '' });
  const text = 'ü'.repeat(Math.floor(room / 2)) + (room % 2 === 1 ? 'x' : '');
  return { text };
}

describe('an output', () => {
  const plan = workflow([[step('a', { undo: undoBy('a:undo') })]]);

  it.each([-1, 0])('of %i bytes beside the limit is kept', (beside) => {
    const output = documentOf(MOST + beside);
    expect(jsonBytes(output)).toBe(MOST + beside);
    const moment = given(plan).when(turn(), ok('a', output));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'succeeded', errorCode: null });
    expect(moment.job.state).toBe('COMPLETED');
  });

  it('a byte over the limit counts as applied and as unfit, is not kept, and is undone', () => {
    const moment = given(plan).when(turn(), ok('a', documentOf(MOST + 1)));
    const told = stateOf(moment, 'a');
    expect(told).toMatchObject({ errorCode: 'CONTRACT_OUTPUT_INVALID', mayHaveApplied: true });
    expect(told.errorMessage).toContain(`it has ${MOST + 1} bytes, at most ${MOST} are kept`);
    expect(JSON.stringify(moment.job).length).toBeLessThan(20_000);
    expect(moment.job.state).toBe('COMPENSATING');
    const undoing = given(moment).when(turn({ kind: 'recovery' }));
    expect(undoing.calls.at(-1)).toMatchObject({ direction: 'undo', body: { output: null } });
    const undone = given(undoing).when(ok('a', documentOf(MOST + 1), { direction: 'undo' }));
    expect(undone.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
    expect(stateOf(undone, 'a').undo?.result?.data).toBeNull();
  });

  it('of a step without effect that is too large leaves nothing to undo', () => {
    const asks = workflow([[step('a', { kind: 'readOnly', undo: null })]]);
    const moment = given(asks).when(turn(), ok('a', documentOf(MOST + 1)));
    expect(stateOf(moment, 'a')).toMatchObject({ status: 'failed', mayHaveApplied: false });
    expect(moment.job).toMatchObject({ state: 'DEAD_LETTERED', outcome: 'rolled_back' });
  });
});

describe('an undo', () => {
  /** Of so many bytes as it travels, with the output beside it. */
  const undoOf = (input: Json, output: Json) => {
    const plan = workflow([[step('a', { undo: undoBy('a:undo'), map: () => input })], [step('b')]]);
    const moment = given(plan).when(turn(), ok('a', output), turn(), refused('b'), turn({ kind: 'recovery' }));
    return moment.calls.find(({ direction }) => direction === 'undo')?.body;
  };

  it('is sent input and output as long as both fit into a call, at its last byte', () => {
    const half = LIMITS.callBytesMax / 2;
    const output = documentOf(half);
    const frame = byteLength(JSON.stringify(JSON.stringify({ input: { text: '' }, output })));
    const fits = { text: 'x'.repeat(LIMITS.callBytesMax - frame) };
    expect(undoOf(fits, output)).toEqual({ input: fits, output });
    const over = { text: `${fits.text}x` };
    expect(undoOf(over, output)).toEqual({ input: over, output: null });
  });
});

describe('an error message', () => {
  const most = LIMITS.errorMessageCharactersMax;

  it.each([-1, 0, 1])('of %i characters beside the limit is kept within it', (beside) => {
    const { message } = failure('DQ_X', 'ü'.repeat(most + beside), false);
    expect(message).toHaveLength(Math.min(most, most + beside));
    expect(message.endsWith('…')).toBe(beside > 0);
  });

  it('is never cut inside a character', () => {
    for (const before of [0, 1]) {
      const text = 'x'.repeat(before) + '😀'.repeat(most);
      expect(cutText(text, most)).toMatch(/^x*(😀)+…$/u);
    }
  });

  it('of an output with a hundred thousand faults is a sentence', () => {
    const errors = Array.from({ length: 100_000 }, (_, index) => ({ path: `/${index}`, message: 'is wrong' }));
    const plan = workflow([[step('a', { checkOutput: () => ({ ok: false, errors }) })]]);
    const moment = given(plan).when(turn(), ok('a', {}));
    expect(stateOf(moment, 'a').errorMessage).toHaveLength(most);
    expect(JSON.stringify(moment.job).length).toBeLessThan(20_000);
  });

  it('that a mapper throws is one too', () => {
    const map = (): Json => {
      throw new Error('x'.repeat(1_000_000));
    };
    const moment = given(workflow([[step('a', { map })]])).when(turn());
    expect(moment.job.lastErrorMessage?.length ?? 0).toBeLessThanOrEqual(most);
    expect(JSON.stringify(moment.job).length).toBeLessThan(20_000);
  });
});
