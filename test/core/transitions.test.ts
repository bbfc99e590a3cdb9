/** The life of a job, held against the rows of the contract, written here once more by hand. */
import { describe, expect, it } from 'vitest';
import { isTerminal, JOB_STATES, type JobState } from '../../lib/core/states.ts';
import { JOB_TRANSITIONS, type JobGuard, type JobTrigger, jobTarget } from '../../lib/core/transitions.ts';

type Row = readonly [from: JobState | null, on: JobTrigger, guard: JobGuard | null, to: JobState];

/** What stops a job, in `PROCESSING` and in `RETRY_SCHEDULED` alike. */
const stops = (from: JobState): Row[] => [
  [from, 'step_failed', 'effects_to_undo', 'COMPENSATING'],
  [from, 'deadline_exceeded', 'effects_to_undo', 'COMPENSATING'],
  [from, 'cancel_requested', 'effects_to_undo', 'COMPENSATING'],
  [from, 'step_failed', 'no_effects', 'FAILED'],
  [from, 'deadline_exceeded', 'no_effects', 'FAILED'],
  [from, 'cancel_requested', 'no_effects', 'CANCELLED'],
  [from, 'undecidable', null, 'NEEDS_REVIEW'],
];

const CONTRACT: readonly Row[] = [
  [null, 'submitted', null, 'PENDING'],
  ['PENDING', 'dispatched', null, 'VALIDATING'],
  ['PENDING', 'cancel_requested', null, 'CANCELLED'],
  ['VALIDATING', 'accepted', null, 'PROCESSING'],
  ['VALIDATING', 'rejected', null, 'FAILED'],
  ['VALIDATING', 'cancel_requested', null, 'CANCELLED'],
  ['PROCESSING', 'all_steps_settled', null, 'COMPLETED'],
  ['PROCESSING', 'retry_later', null, 'RETRY_SCHEDULED'],
  ...stops('PROCESSING'),
  ['RETRY_SCHEDULED', 'due', null, 'PROCESSING'],
  ...stops('RETRY_SCHEDULED'),
  ['COMPENSATING', 'all_undone', 'after_failure', 'FAILED'],
  ['COMPENSATING', 'all_undone', 'after_cancel', 'CANCELLED'],
  ['COMPENSATING', 'all_undone', 'saga_retry_left', 'RETRY_SCHEDULED'],
  ['COMPENSATING', 'undo_failed', null, 'NEEDS_REVIEW'],
  ['COMPENSATING', 'effect_unknown', null, 'NEEDS_REVIEW'],
  ['NEEDS_REVIEW', 'operator_resume', 'nothing_unknown', 'PROCESSING'],
  ['NEEDS_REVIEW', 'operator_retry_compensation', null, 'COMPENSATING'],
  ['NEEDS_REVIEW', 'operator_resolve', 'undo_started', 'COMPENSATING'],
  ['NEEDS_REVIEW', 'operator_resolve', 'no_undo_started', 'NEEDS_REVIEW'],
  ['NEEDS_REVIEW', 'operator_close', 'after_failure', 'FAILED'],
  ['NEEDS_REVIEW', 'operator_close', 'after_cancel', 'CANCELLED'],
  ['NEEDS_REVIEW', 'operator_force_close', null, 'DEAD_LETTERED'],
  ['PENDING', 'operator_force_close', null, 'NEEDS_REVIEW'],
  ['VALIDATING', 'operator_force_close', null, 'NEEDS_REVIEW'],
  ['PROCESSING', 'operator_force_close', null, 'NEEDS_REVIEW'],
  ['RETRY_SCHEDULED', 'operator_force_close', null, 'NEEDS_REVIEW'],
  ['COMPENSATING', 'operator_force_close', null, 'NEEDS_REVIEW'],
  ['FAILED', 'quarantined', 'policy_says_so', 'DEAD_LETTERED'],
];

function stays(on: JobTrigger, ...states: JobState[]): Row[] {
  return states.map((state) => [state, on, null, state]);
}

/** Entries that tell news without moving the job: a reminder, and an effect that shows up after the job stopped. */
const SELF: readonly Row[] = [
  ['NEEDS_REVIEW', 'review_reminder', null, 'NEEDS_REVIEW'],
  ['NEEDS_REVIEW', 'late_success', null, 'NEEDS_REVIEW'],
  ['COMPLETED', 'late_success', null, 'COMPLETED'],
  ['FAILED', 'late_success', null, 'FAILED'],
  ['CANCELLED', 'late_success', null, 'CANCELLED'],
  ['DEAD_LETTERED', 'late_success', null, 'DEAD_LETTERED'],
  ...stays('signal_received', 'PENDING', 'VALIDATING', 'PROCESSING', 'RETRY_SCHEDULED', 'NEEDS_REVIEW'),
  ...stays('approval_requested', 'PROCESSING'),
  ...stays('approval_reminder', 'PROCESSING'),
  ...stays('approval_decided', 'PROCESSING', 'RETRY_SCHEDULED', 'NEEDS_REVIEW'),
  ...stays(
    'operator_migrate',
    'PENDING',
    'VALIDATING',
    'PROCESSING',
    'RETRY_SCHEDULED',
    'COMPENSATING',
    'NEEDS_REVIEW',
  ),
];

const text = ([from, on, guard, to]: Row): string => `${from ?? '–'} ${on} [${guard ?? ''}] → ${to}`;
const rows = JOB_TRANSITIONS.map(({ from, on, guard, to }): Row => [from, on, guard, to]);

describe('the table of job states', () => {
  it('is the contract row by row, and the self rows added to it', () => {
    expect(rows.map(text).sort()).toEqual([...CONTRACT, ...SELF].map(text).sort());
  });

  it('has one target for each state, event and guard', () => {
    const keys = rows.map(([from, on, guard]) => `${from} ${on} ${guard}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('leaves a terminal state only from FAILED into quarantine', () => {
    const leaving = rows.filter(([from, , , to]) => from !== null && isTerminal(from) && from !== to);
    expect(leaving).toEqual([['FAILED', 'quarantined', 'policy_says_so', 'DEAD_LETTERED']]);
  });

  it('has no self row but news, a reminder, a resolution and another version', () => {
    const self = rows.filter(([from, , , to]) => from === to);
    expect(new Set(self.map(([, on]) => on))).toEqual(
      new Set([
        'late_success',
        'review_reminder',
        'operator_resolve',
        'signal_received',
        'approval_requested',
        'approval_reminder',
        'approval_decided',
        'operator_migrate',
      ]),
    );
  });

  it('reaches every state from the start', () => {
    const reached = new Set<JobState | null>([null]);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const [from, , , to] of rows) if (reached.has(from)) reached.add(to);
    }
    expect([...reached].filter((state) => state !== null).sort()).toEqual([...JOB_STATES].sort());
  });

  it('has a way from every state to an end', () => {
    const ending = new Set<JobState | null>(JOB_STATES.filter(isTerminal));
    for (let size = 0; size !== ending.size; ) {
      size = ending.size;
      for (const [from, , , to] of rows) if (ending.has(to)) ending.add(from);
    }
    expect(JOB_STATES.filter((state) => !ending.has(state))).toEqual([]);
  });

  it('can be stopped the same ways while it works and while it waits to try again', () => {
    const stopping = (state: JobState) =>
      rows.filter(
        ([from, on]) =>
          from === state &&
          !['due', 'retry_later', 'all_steps_settled'].includes(on) &&
          !/^(signal|approval|operator_migrate)/.test(on),
      );
    expect(stopping('RETRY_SCHEDULED').map(([, ...rest]) => rest)).toEqual(
      stopping('PROCESSING').map(([, ...rest]) => rest),
    );
  });

  it('answers the target of an edge, and throws where there is none', () => {
    expect(jobTarget('COMPENSATING', 'all_undone', 'after_cancel')).toBe('CANCELLED');
    expect(() => jobTarget('COMPENSATING', 'all_undone', null)).toThrow('COMPENSATING on all_undone');
    expect(() => jobTarget('COMPLETED', 'cancel_requested', 'effects_to_undo')).toThrow('[effects_to_undo]');
    expect(() => jobTarget(null, 'accepted', null)).toThrow('from nothing');
  });
});
