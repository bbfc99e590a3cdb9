/**
 * Rows under a head, in columns as wide as they need. On a terminal a table fits its width: columns that hold prose give
 * way, ids never do, since they are there to be copied.
 */
import type { Screen } from './io.ts';
import { painter, type Tone } from './style.ts';
import { clean, cut, padded, widthOf } from './text.ts';

export interface Column<T> {
  readonly head: string;
  cell(row: T): string;
  tone?(row: T): Tone;
  /** Holds prose, and may be cut. */
  readonly gives?: boolean;
}

const GAP = '  ';
/** Less than this says nothing any more. */
const GIVING_WIDTH_MIN = 12;

export function table<T>(screen: Screen, rows: readonly T[], columns: readonly Column<T>[], indent = ''): string {
  const paint = painter(screen);
  const cells = rows.map((row) => columns.map((column) => clean(column.cell(row))));
  const widths = fitted(screen, columns, naturalWidths(columns, cells), indent.length);
  const line = (texts: readonly string[], tones: readonly Tone[]): string => {
    const shown = texts.map((text, index) => {
      const width = widths[index] ?? 0;
      const whole = index === texts.length - 1 ? cut(text, width) : padded(cut(text, width), width);
      return paint(tones[index] ?? 'plain', whole);
    });
    return `${indent}${shown.join(GAP)}`.trimEnd();
  };
  const head = line(
    columns.map((column) => column.head),
    columns.map(() => 'quiet'),
  );
  const body = rows.map((row, index) =>
    line(
      cells[index] ?? [],
      columns.map((column) => column.tone?.(row) ?? 'plain'),
    ),
  );
  return [head, ...body].map((text) => `${text}\n`).join('');
}

function naturalWidths<T>(columns: readonly Column<T>[], cells: readonly (readonly string[])[]): number[] {
  return columns.map(({ head }, index) => Math.max(widthOf(head), ...cells.map((row) => widthOf(row[index] ?? ''))));
}

function fitted<T>(screen: Screen, columns: readonly Column<T>[], natural: number[], indent: number): number[] {
  const room = screen.columns();
  if (room === null) return natural;
  const widths = [...natural];
  let over = indent + widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1) - room;
  while (over > 0) {
    const giving = columns.flatMap(({ gives }, index) =>
      gives === true && (widths[index] ?? 0) > GIVING_WIDTH_MIN ? [index] : [],
    );
    const widest = giving.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}

/** Names and values below each other; what is empty is left out. */
export function fields(screen: Screen, pairs: readonly (readonly [name: string, value: string])[]): string {
  const paint = painter(screen);
  const told = pairs.filter(([, value]) => value !== '');
  const width = Math.max(0, ...told.map(([name]) => widthOf(name)));
  return told.map(([name, value]) => `  ${paint('quiet', padded(name, width))}  ${clean(value)}\n`).join('');
}
