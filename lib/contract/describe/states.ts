/**
 * The life of a job and of a step, from the transition tables. The meanings are the only prose here, and each table of
 * them is exhaustive: a new state, event or guard does not compile until it is explained.
 */
import { isTerminal, JOB_STATES, type JobState, STEP_STATUSES } from '../../core/states.ts';
import { STEP_TRANSITIONS, type StepTransition } from '../../core/step-transitions.ts';
import { JOB_TRANSITIONS, type JobGuard, type JobTransition, type JobTrigger } from '../../core/transitions.ts';
import { code, drawing, facts, type Part, table, text } from './document.ts';

const STATES: Readonly<Record<JobState, string>> = {
  PENDING: 'accepted and stored, not begun',
  VALIDATING: 'input and routes are checked',
  PROCESSING: 'steps are called, or their answers waited for',
  RETRY_SCHEDULED: 'nothing is in flight; the next try is later',
  COMPENSATING: 'effects are undone',
  NEEDS_REVIEW: 'cannot go on by itself; a person settles what is open',
  COMPLETED: 'every step succeeded',
  CANCELLED: 'stopped on request and undone',
  FAILED: 'failed and undone',
  DEAD_LETTERED: 'failed and quarantined; a person replays or discards it',
};

const EVENTS: Readonly<Record<JobTrigger, string>> = {
  submitted: 'a caller submitted it',
  dispatched: 'a driver took it up',
  accepted: 'the input fits the schema and every topic has a route',
  rejected: 'the input or a route does not hold',
  all_steps_settled: 'every step succeeded or was skipped',
  retry_later: 'nothing is in flight, a retry or a parked dependency is due later',
  due: 'the time of the next try has come',
  step_failed: 'a step failed for good',
  deadline_exceeded: "the job's deadline has passed",
  cancel_requested: 'its caller or an operator asked to stop it',
  undecidable:
    'going on or back could do harm: an effect is unknown, or an irreversible step has, or may have, happened',
  all_undone: 'no effect is left to undo',
  undo_failed: 'an undo was refused, or its attempts or time are used up; the others were still tried',
  effect_unknown: 'whether an effect stands could not be established',
  review_reminder: 'a day has passed and nobody has settled it',
  late_success: 'an effect showed up after the job had stopped',
  signal_received: 'a caller has sent a signal that a step waits for, or will',
  approval_requested: 'a person has been asked to approve',
  approval_reminder: 'the person has not decided yet',
  approval_decided: 'a person has approved or declined',
  quarantined: 'the quarantine rules keep it for a person',
  operator_resume: 'an operator sends it on',
  operator_retry_compensation: 'an operator has the undo called again',
  operator_resolve: 'an operator says what became of a step',
  operator_close: 'an operator ends it, nothing being open',
  operator_force_close: 'an operator ends it and leaves effects behind',
  operator_migrate: 'another version of its definition takes it over',
};

const GUARDS: Readonly<Record<JobGuard, string>> = {
  effects_to_undo: 'a step succeeded, or may have applied, and was not undone',
  no_effects: 'no step has, or may have, had an effect',
  after_failure: 'it turned back because of a failure or its deadline',
  after_cancel: 'it turned back because it was cancelled',
  saga_retry_left: 'the rollback was clean, the cause may pass, and the definition grants another round',
  undo_started: 'an undo was called before',
  no_undo_started: 'no undo was called before',
  nothing_unknown: 'no undo was started and no effect is unknown',
  nothing_open: 'no effect is or may be applied',
  policy_says_so: 'see the quarantine rules below',
};

export function jobStates(): Part {
  const events = used(JOB_TRANSITIONS.map(({ on }) => on));
  const guards = used(JOB_TRANSITIONS.flatMap(({ guard }) => (guard === null ? [] : [guard])));
  return {
    name: 'job',
    title: 'The life of a job',
    blocks: [
      text(
        'Every change of state is one row of this table and one conditional write. No row leads out of a terminal state,',
        'but for quarantine, which is a second entry of the same write.',
      ),
      table(
        ['state', 'terminal', 'meaning'],
        JOB_STATES.map((state) => [code(state), isTerminal(state) ? 'yes' : '', STATES[state]]),
      ),
      drawing(jobDrawing()),
      text(
        'Not drawn: force-close, which every state that is not terminal allows (through `NEEDS_REVIEW`, in one write), and',
        'entries that leave the state as it is.',
      ),
      table(
        ['from', 'event', 'guard', 'to'],
        JOB_TRANSITIONS.map(({ from, on, guard, to }) => [
          from === null ? '–' : code(from),
          code(on),
          guard === null ? '' : code(guard),
          code(to),
        ]),
      ),
      table(
        ['event', 'happens when'],
        events.map((on) => [code(on), EVENTS[on]]),
      ),
      table(
        ['guard', 'holds when'],
        guards.map((guard) => [code(guard), GUARDS[guard]]),
      ),
    ],
    facts: facts({
      states: JOB_STATES.map((state) => ({ state, terminal: isTerminal(state), meaning: STATES[state] })),
      transitions: JOB_TRANSITIONS,
      events: Object.fromEntries(events.map((on) => [on, EVENTS[on]])),
      guards: Object.fromEntries(guards.map((guard) => [guard, GUARDS[guard]])),
    }),
  };
}

export function stepStates(): Part {
  return {
    name: 'step',
    title: 'The life of a step',
    blocks: [
      text(
        'A step has up to three operations: its own call, a query about it, and its undo. (from, event) has one target,',
        'so moving a step is a look-up.',
      ),
      drawing(stepDrawing()),
      table(
        ['from', 'event', 'to', 'note'],
        STEP_TRANSITIONS.map(({ from, on, to, note = '' }) => [code(from), code(on), code(to), note]),
      ),
    ],
    facts: facts({ statuses: STEP_STATUSES, transitions: STEP_TRANSITIONS }),
  };
}

function used<T>(all: readonly T[]): T[] {
  return [...new Set(all)];
}

function jobDrawing(): string {
  const drawn = JOB_TRANSITIONS.filter(({ from, on, to }) => from !== to && on !== 'operator_force_close');
  const ends = JOB_STATES.filter((state) => isTerminal(state)).map((state) => `  ${state} --> [*]`);
  return [
    'stateDiagram-v2',
    ...edges(drawn, ({ on, guard }) => (guard === null ? on : `${on} [${guard}]`)),
    ...ends,
  ].join('\n');
}

function stepDrawing(): string {
  const drawn = STEP_TRANSITIONS.filter(({ from, to }) => from !== to);
  return ['stateDiagram-v2', '  [*] --> pending', ...edges(drawn, ({ on }) => on)].join('\n');
}

/** One arrow for all that leads from one state to another: more would lie on top of each other. */
function edges<T extends JobTransition | StepTransition>(rows: readonly T[], label: (row: T) => string): string[] {
  const labels = new Map<string, string[]>();
  for (const row of rows) {
    const arrow = `  ${row.from ?? '[*]'} --> ${row.to}`;
    labels.set(arrow, [...(labels.get(arrow) ?? []), label(row)]);
  }
  return [...labels].map(([arrow, all]) => `${arrow} : ${all.join('<br/>')}`);
}
