/**
 * The picture that `watch` draws of a job on a terminal: a head, a bar, a line for each step, the last moments. Invariant:
 * no line is wider than the terminal, or drawing over it would leave pieces behind.
 */
import type { Job } from '../client/index.ts';
import type { WireStep } from '../contract/wire-step.ts';
import type { Screen } from './io.ts';
import type { Moment } from './moments.ts';
import { painter, type Tone, toneOf } from './style.ts';
import { clean, clock, cut, padded, widthOf } from './text.ts';

const MOMENTS_SHOWN = 4;
const BAR_WIDTH = 24;
const SETTLED = new Set(['succeeded', 'skipped', 'failed', 'compensated', 'compensation_failed']);
/** Few terminals show more; the steps that something happens to are what a watcher looks for. */
const STEPS_SHOWN = 20;

interface Piece {
  readonly tone: Tone;
  readonly text: string;
}

export function drawPicture(screen: Screen, job: Job, moments: readonly Moment[], now: number, over: boolean): string {
  const width = screen.columns() ?? 80;
  const names = Math.max(...job.steps.map(({ step }) => widthOf(clean(step))), 0);
  const steps = shownSteps(job.steps);
  const hidden = job.steps.length - steps.length;
  const lines: Piece[][] = [
    head(job, now),
    bar(job),
    ...steps.map((step) => stepLine(step, names, now)),
    ...(hidden > 0 ? [[quiet(`    and ${hidden} more`)]] : []),
    ...moments.slice(-MOMENTS_SHOWN).map(momentPieces),
    ...(over ? [] : [[quiet('Ctrl-C ends the watching, not the job')]]),
  ];
  return lines.map((pieces) => `${cropped(screen, pieces, width)}\n`).join('');
}

function shownSteps(steps: readonly WireStep[]): readonly WireStep[] {
  if (steps.length <= STEPS_SHOWN) return steps;
  const first = steps.findIndex(({ status }) => !SETTLED.has(status));
  const start = Math.min(Math.max(0, first - 2), steps.length - STEPS_SHOWN);
  return steps.slice(start, start + STEPS_SHOWN);
}

const quiet = (text: string): Piece => ({ tone: 'quiet', text });

function head(job: Job, now: number): Piece[] {
  const ended = job.next_action_at === null ? Date.parse(job.updated_at) : now;
  return [
    { tone: 'strong', text: `${job.workflow_type} ` },
    { tone: 'plain', text: `${job.job_id}  ` },
    { tone: toneOf(job.current_state), text: job.current_state },
    quiet(`  ${seconds(ended - Date.parse(job.created_at))}${job.outcome === null ? '' : `  ${job.outcome}`}`),
  ];
}

function bar({ steps, current_state }: Job): Piece[] {
  const back = steps.filter(({ compensation }) => compensation !== null);
  const undoing = back.length > 0;
  const done = undoing
    ? back.filter(({ compensation }) => compensation?.status === 'compensated').length
    : steps.filter(({ status }) => SETTLED.has(status)).length;
  const all = undoing ? back.length : steps.length;
  const filled = all === 0 ? 0 : Math.round((done / all) * BAR_WIDTH);
  return [
    { tone: toneOf(current_state), text: '█'.repeat(filled) },
    quiet('░'.repeat(BAR_WIDTH - filled)),
    { tone: 'plain', text: `  ${done} of ${all} ${undoing ? 'undone' : 'steps'}` },
  ];
}

const MARKS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✗',
  attention: '!',
  busy: '→',
  quiet: '·',
  strong: ' ',
  plain: ' ',
};

function stepLine(step: WireStep, names: number, now: number): Piece[] {
  const tone = toneOf(step.status);
  return [
    { tone, text: `  ${MARKS[tone]} ` },
    { tone: 'plain', text: `${padded(clean(step.step), names)}  ` },
    { tone, text: padded(step.status, 20) },
    quiet(about(step, now)),
  ];
}

function about(step: WireStep, now: number): string {
  const { compensation, attempts, error_code, next_attempt_at, started_at, completed_at, topic } = step;
  if (compensation !== null) return [compensation.topic, compensation.error_code ?? ''].join('  ');
  const again = attempts > 1 ? `attempt ${attempts}  ` : '';
  const next = next_attempt_at === null ? '' : `again in ${seconds(Math.max(0, Date.parse(next_attempt_at) - now))}  `;
  const took =
    started_at === null || completed_at === null ? '' : `${Date.parse(completed_at) - Date.parse(started_at)} ms  `;
  return `${topic ?? ''}  ${took}${again}${next}${error_code ?? ''}`;
}

function momentPieces({ at, subject, word, tone, more }: Moment): Piece[] {
  return [
    quiet(`${clock(at)}  `),
    { tone: 'plain', text: `${subject} ` },
    { tone, text: word },
    quiet(more === '' ? '' : `  ${more}`),
  ];
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
}

function cropped(screen: Screen, pieces: readonly Piece[], width: number): string {
  const paint = painter(screen);
  let left = width;
  return pieces
    .map(({ tone, text }) => {
      const shown = left <= 0 ? '' : cut(clean(text), left);
      left -= widthOf(shown);
      return paint(tone, shown);
    })
    .join('')
    .trimEnd();
}
