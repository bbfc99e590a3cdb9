/**
 * What has happened to a job, as lines in the order of time: changes of state, steps that were called, succeeded, were
 * undone, tries that failed. Read off the job alone, so whoever looks late sees the same lines as who looked all along.
 */
import type { HistoryEntry, Job } from '../client/index.ts';
import type { WireStep } from '../contract/wire-step.ts';
import { type Tone, toneOf } from './style.ts';
import { clock } from './text.ts';

export interface Moment {
  /** The same moment has the same key however often the job is read. */
  readonly key: string;
  readonly at: string;
  readonly subject: string;
  readonly word: string;
  readonly tone: Tone;
  readonly more: string;
}

/** Of what happens in one write the end of something is told first, then the state it leads to, then what begins. */
const RANKS = { ended: 0, state: 1, begun: 2 } as const;

type Ranked = Moment & { readonly rank: number };

export function momentsOf(job: Job, history: readonly HistoryEntry[]): Moment[] {
  const all: Ranked[] = [...history.map(stateMoment), ...job.steps.flatMap(stepMoments), ...errorMoments(job)];
  return all
    .toSorted((a, b) => (a.at === b.at ? a.rank - b.rank : a.at < b.at ? -1 : 1))
    .map(({ rank: _, ...moment }) => moment);
}

function stateMoment(entry: HistoryEntry): Ranked {
  const { seq, to_state, transition_reason, error_code, step, actor, occurred_at } = entry;
  const by = actor.startsWith('orchestrator:') ? [] : [`by ${actor}`];
  const told = transition_reason === error_code ? [] : [transition_reason];
  const more = [
    ...told,
    ...(error_code === undefined ? [] : [error_code]),
    ...(step === undefined ? [] : [step]),
    ...by,
  ];
  return {
    key: `state ${seq}`,
    at: occurred_at,
    subject: 'job',
    word: to_state,
    tone: toneOf(to_state),
    more: more.join(', '),
    rank: RANKS.state,
  };
}

function stepMoments({ step, topic, started_at, completed_at, compensation, operation_id }: WireStep): Ranked[] {
  const moment = (key: string, at: string | null, word: string, tone: Tone, more: string, rank: number): Ranked[] =>
    at === null ? [] : [{ key: `${key} ${operation_id} ${at}`, at, subject: step, word, tone, more, rank }];
  return [
    ...moment('called', started_at, 'called', 'quiet', topic ?? '', RANKS.begun),
    ...moment('succeeded', completed_at, 'succeeded', 'good', '', RANKS.ended),
    ...(compensation === null
      ? []
      : [
          ...moment('undo', compensation.started_at, 'undo called', 'quiet', compensation.topic, RANKS.begun),
          ...moment('undone', compensation.compensated_at, 'undone', 'good', '', RANKS.ended),
        ]),
  ];
}

/** Lines of the log that say the same twice are told apart by their place. */
function errorMoments({ error_log }: Job): Ranked[] {
  return error_log.map(({ at, step, attempt, error_code, message, next_attempt_at }) => {
    const next = next_attempt_at === undefined ? '' : `, next try ${clock(next_attempt_at)}`;
    return {
      key: `error ${at} ${step} ${attempt} ${error_code}`,
      at,
      subject: step ?? 'job',
      word: `attempt ${attempt} failed`,
      tone: 'bad',
      more: `${error_code}: ${message}${next}`,
      rank: RANKS.ended,
    };
  });
}
