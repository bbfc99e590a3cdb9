/**
 * Text of others on a terminal. Invariant: no character that moves the cursor, changes colours, hides or reorders what
 * stands there reaches the screen; it is shown as its escape instead, in the spelling of JSON.
 */

/** Controls, formatting characters (among them those that turn text around), odd line ends, halves of pairs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

export function clean(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** A document over several lines, with everything inside its strings made visible. It stays the same document. */
export function cleanJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replace(UNSEEN, (mark) => (mark === '\n' ? mark : escaped(mark)));
}

function escaped(mark: string): string {
  const units = Array.from({ length: mark.length }, (_, index) => mark.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Scripts and signs that terminals draw two columns wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns that cleaned text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** At most this many columns, the last one a mark that more was there. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** `2026-01-31 08:00:00Z`: a second is enough for a reader, and no zone has to be guessed. */
export function time(iso: string | null | undefined): string {
  return iso == null
    ? ''
    : clean(iso)
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z');
}

/** `08:00:00.123`, for what follows closely. */
export function clock(iso: string): string {
  return clean(iso).slice(11).replace('Z', '');
}
