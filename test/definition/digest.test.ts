/** The digest changes with everything that decides what a job does, and with nothing else. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { none, workflow } from '../../lib/definition/index.ts';
import type { StepDraft } from '../../lib/definition/step.ts';
import { bare, raw, start } from './support.ts';

const nothing = (): null => null;
const digestOf = (changed: Partial<StepDraft>): string => start().stage(raw('a', changed)).output(nothing).plan.digest;
const plain = digestOf({});

const variants: Record<string, string> = {
  type: start('trap').stage(raw('a')).output(nothing).plan.digest,
  version: start('trip', 2).stage(raw('a')).output(nothing).plan.digest,
  'input schema': workflow('trip', 1).input(z.strictObject({})).stage(raw('a')).output(nothing).plan.digest,
  'output mapper': start()
    .stage(raw('a'))
    .output(() => 1).plan.digest,
  'step name': start().stage(raw('b')).output(nothing).plan.digest,
  deadline: start().stage(raw('a')).deadline('1 h').output(nothing).plan.digest,
  undoDeadline: start().stage(raw('a')).undoDeadline('1 h').output(nothing).plan.digest,
  maxRetries: start().stage(raw('a')).maxRetries(1).output(nothing).plan.digest,
  retry: start()
    .stage(raw('a'))
    .retry({ EXT_: { maxAttempts: 2 } })
    .output(nothing).plan.digest,
  events: start().stage(raw('a')).events({ failed: 'trip:off' }).output(nothing).plan.digest,
  quarantine: start().stage(raw('a')).quarantine('always').output(nothing).plan.digest,
  recovery: start().stage(raw('a')).recovery('a').output(nothing).plan.digest,
  concurrentUndo: start().stage(raw('a')).concurrentUndo().output(nothing).plan.digest,
  topic: digestOf({ topic: 'thing:make' }),
  timeout: digestOf({ timeout: '1 s' }),
  'step retry': digestOf({ retry: { EXT_: { maxAttempts: 3 } } }),
  onUnknown: digestOf({ onUnknown: 'review' }),
  query: digestOf({ query: 'thing:find' }),
  'input mapper': digestOf({ input: () => ({ a: 1 }) }),
  'output schema': digestOf({ output: z.object({ id: z.int() }) }),
  'undo topic': digestOf({ undo: 'thing:burn' }),
  'undo mapper': digestOf({ undo: { topic: 'thing:undo', input: () => 1 } }),
  'undo choice': digestOf({ undo: { topic: 'thing:undo', choose: () => 'thing:undo' } }),
  'undo timeout': digestOf({ undo: { topic: 'thing:undo', timeout: '1 s' } }),
  'undo retry': digestOf({ undo: { topic: 'thing:undo', retry: { maxAttempts: 2 } } }),
  'no undo': digestOf({ undo: none('a log') }),
  'another reason': digestOf({ undo: none('a trace') }),
  readOnly: start()
    .stage(bare('a', { readOnly: true }))
    .output(nothing).plan.digest,
  irreversible: start()
    .stage(bare('a', { irreversible: true }))
    .output(nothing).plan.digest,
  'one stage': start().stage(raw('a'), raw('b')).output(nothing).plan.digest,
  'two stages': start().stage(raw('a')).stage(raw('b')).output(nothing).plan.digest,
  'other order': start().stage(raw('b'), raw('a')).output(nothing).plan.digest,
};

describe('digest', () => {
  it('is the same for the same definition, built again', () => {
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOf({})).toBe(plain);
  });

  it.each(Object.entries(variants))('changes with the %s', (_name, digest) => {
    expect(digest).not.toBe(plain);
  });

  it('tells any two of these apart', () => {
    expect(new Set(Object.values(variants)).size).toBe(Object.keys(variants).length);
  });

  it('does not change with the layout of a mapper, nor with its comments', () => {
    const written = (text: string): string => {
      const mapper = (): unknown => ({});
      mapper.toString = () => text;
      return digestOf({ input: mapper });
    };
    const one = written("({ input }) => ({ a: 'x  y, }', b: input.b })");
    expect(written("({ input }) => ({\n  // why\n  a: 'x  y, }', /* b */\n  b: input.b,\n})")).toBe(one);
    expect(written("({ input }) => ({ a: 'x y, }', b: input.b })")).not.toBe(one);
    expect(written("({ input }) => ({ a: 'x  y, }', b: input.c })")).not.toBe(one);
  });
});
