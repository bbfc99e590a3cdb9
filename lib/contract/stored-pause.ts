/** A pause as every store keeps it: its record as text, for people read the table too. */
import type { Pause } from '../core/pause.ts';

export function pauseToJson(pause: Pause): string {
  return JSON.stringify(pause);
}

export function pauseFromJson(text: string): Pause {
  return JSON.parse(text);
}

/** What a put that was refused means: the stored record may be its own, whose answer was lost. */
export function pausePutOver(current: Pause | null, wanted: Pause) {
  return current !== null && current.revision === wanted.revision && current.writeId === wanted.writeId
    ? ({ stored: true } as const)
    : ({ stored: false, current } as const);
}
