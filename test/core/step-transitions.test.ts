/** The life of a step, held against the rows of the contract, written here once more by hand. */
import { describe, expect, it } from 'vitest';
import { STEP_STATUSES, type StepStatus } from '../../lib/core/states.ts';
import { STEP_TRANSITIONS, stepTarget } from '../../lib/core/step-transitions.ts';

/** The contract's table: from where to where a step may go. */
const CONTRACT: Readonly<Record<StepStatus, readonly StepStatus[]>> = {
  pending: ['dispatched', 'waiting', 'failed', 'skipped'],
  dispatched: ['succeeded', 'failed', 'retry_scheduled', 'unknown', 'waiting'],
  retry_scheduled: ['dispatched', 'failed', 'compensating', 'skipped'],
  waiting: ['succeeded', 'failed', 'unknown', 'dispatched', 'skipped'],
  unknown: ['dispatched', 'reconciling', 'succeeded', 'failed', 'compensating'],
  reconciling: ['succeeded', 'failed', 'dispatched', 'unknown', 'compensating'],
  succeeded: ['compensating', 'pending'],
  failed: ['compensating', 'pending'],
  compensating: ['compensated', 'compensation_failed', 'compensating'],
  compensation_failed: ['compensating', 'compensated'],
  compensated: ['compensating', 'pending'],
  skipped: ['pending'],
};

/** Edges beyond the contract's rows, each with the event that takes it. */
const ADDED: readonly (readonly [StepStatus, string, StepStatus])[] = [
  // An earlier attempt had worked although a later one said that it had not applied.
  ['retry_scheduled', 'late_success', 'succeeded'],
  // A promised result was a failure worth another attempt.
  ['waiting', 'not_applied', 'retry_scheduled'],
  // Every attempt had said that it did not apply, and one had: a success on the way back becomes its own undo.
  ['skipped', 'undo_called', 'compensating'],
];

/** Events that take one of the contract's edges for another reason than the contract names. */
const OTHER_REASONS: readonly (readonly [StepStatus, string, StepStatus])[] = [
  // The undo had worked after all; its success came late.
  ['compensation_failed', 'undo_confirmed', 'compensated'],
  // The participant keeps the operation from ever applying.
  ['unknown', 'fenced', 'failed'],
  // A person leads forward again, with what was left out when the job turned back.
  ['skipped', 'operator_resume', 'pending'],
];

const edge = (from: StepStatus, to: StepStatus): string => `${from} → ${to}`;

describe('the table of step statuses', () => {
  it("has the contract's edges and the ones added to it, no more", () => {
    const expected = STEP_STATUSES.flatMap((from) => CONTRACT[from].map((to) => edge(from, to)));
    const added = ADDED.map(([from, , to]) => edge(from, to));
    const edges = new Set(STEP_TRANSITIONS.map(({ from, to }) => edge(from, to)));
    expect([...edges].sort()).toEqual([...expected, ...added].sort());
  });

  it.each([...ADDED, ...OTHER_REASONS])('takes %s on %s to %s', (from, on, to) => {
    expect(STEP_TRANSITIONS).toContainEqual(expect.objectContaining({ from, on, to }));
  });

  it('has one target for each status and event', () => {
    const keys = STEP_TRANSITIONS.map(({ from, on }) => `${from} ${on}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('reaches every status from the first', () => {
    const reached = new Set<StepStatus>(['pending']);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const { from, to } of STEP_TRANSITIONS) if (reached.has(from)) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...STEP_STATUSES].sort());
  });

  it('begins a new round from any settled status that left nothing behind', () => {
    const from = STEP_TRANSITIONS.filter(({ on }) => on === 'new_round').map((row) => row.from);
    expect(from.sort()).toEqual(['compensated', 'failed', 'skipped', 'succeeded']);
  });

  it('starts an undo only for what succeeded or may have applied', () => {
    const from = STEP_TRANSITIONS.filter(({ on }) => on === 'undo_called').map((row) => row.from);
    expect(from.sort()).toEqual(['failed', 'reconciling', 'retry_scheduled', 'skipped', 'succeeded', 'unknown']);
  });

  it('has one way back from a confirmed undo within a round: a success that came after it', () => {
    const leaving = STEP_TRANSITIONS.filter(({ from, on }) => from === 'compensated' && on !== 'new_round');
    expect(leaving.map(({ on, to }) => [on, to])).toEqual([['late_success', 'compensating']]);
  });

  it('answers the target of an edge, and throws where there is none', () => {
    expect(stepTarget('dispatched', 'lost')).toBe('unknown');
    expect(() => stepTarget('skipped', 'called')).toThrow('no step transition from skipped on called');
  });
});
