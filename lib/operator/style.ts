/** Colours say how something stands, never more than the words beside them do. */
import { styleText } from 'node:util';
import type { Screen } from './io.ts';

export type Tone = 'good' | 'bad' | 'attention' | 'busy' | 'quiet' | 'strong' | 'plain';

const FORMATS = {
  good: ['green'],
  bad: ['red'],
  attention: ['yellow', 'bold'],
  busy: ['cyan'],
  quiet: ['dim'],
  strong: ['bold'],
  plain: [],
} as const satisfies Record<Tone, readonly string[]>;

const TONES: Readonly<Record<string, Tone>> = {
  PENDING: 'quiet',
  VALIDATING: 'busy',
  PROCESSING: 'busy',
  RETRY_SCHEDULED: 'attention',
  COMPENSATING: 'attention',
  NEEDS_REVIEW: 'attention',
  COMPLETED: 'good',
  CANCELLED: 'quiet',
  FAILED: 'bad',
  DEAD_LETTERED: 'bad',
  pending: 'quiet',
  skipped: 'quiet',
  dispatched: 'busy',
  waiting: 'busy',
  reconciling: 'busy',
  retry_scheduled: 'attention',
  unknown: 'attention',
  compensating: 'attention',
  succeeded: 'good',
  compensated: 'quiet',
  failed: 'bad',
  compensation_failed: 'bad',
  due: 'busy',
  queued: 'busy',
  started: 'good',
  missed: 'attention',
  open: 'attention',
  replayed: 'good',
  discarded: 'quiet',
  CLOSED: 'good',
  HALF_OPEN: 'attention',
  OPEN: 'bad',
  healthy: 'good',
  degraded: 'attention',
  offline: 'bad',
  active: 'attention',
  releasing: 'busy',
  released: 'good',
  done: 'good',
  refused: 'bad',
};

export function toneOf(word: string): Tone {
  return Object.hasOwn(TONES, word) ? (TONES[word] ?? 'plain') : 'plain';
}

export type Paint = (tone: Tone, text: string) => string;

export function painter({ colour }: Screen): Paint {
  return (tone, text) =>
    colour && tone !== 'plain' && text !== '' ? styleText([...FORMATS[tone]], text, { validateStream: false }) : text;
}
