/**
 * A saga as a picture that any browser shows: stages from left to right, below each step what takes it back. Plain SVG
 * without script or style sheet from elsewhere, so that it can stand in a page under any policy.
 */
import type { GraphNode, SagaGraph } from './graph.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

const BOX = { width: 190, height: 46 } as const;
const GAP = { x: 70, y: 22 } as const;
const MARGIN = 24;
const LINE = { fill: 'none', stroke: '#5b6472', width: 1.4 } as const;

export function sagaSvg(graph: SagaGraph): string {
  const places = placed(graph);
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + BOX.width + MARGIN;
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + BOX.height + MARGIN;
  const title = `${graph.workflow_type} ${graph.workflow_version}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${LINE.stroke}"/></marker></defs>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...graph.edges.map((edge) => arrow(places.get(edge.from), places.get(edge.to), edge.kind)),
    ...graph.nodes.map((node) => box(node, places.get(node.id))),
    '</svg>',
  ].join('\n');
}

/** Columns are stages; what undoes a step stands in its column, below all steps. */
function placed({ nodes }: SagaGraph): Map<string, Place> {
  const steps = nodes.filter(({ kind }) => kind === 'step');
  const stages = Math.max(0, ...steps.map(({ stage = 0 }) => stage));
  const rows = Math.max(
    1,
    ...Array.from({ length: stages }, (_, at) => steps.filter(({ stage }) => stage === at + 1).length),
  );
  const places = new Map<string, Place>();
  const at = (column: number, row: number): Place => ({
    x: MARGIN + column * (BOX.width + GAP.x),
    y: MARGIN + row * (BOX.height + GAP.y),
  });
  places.set('start', at(0, 0));
  places.set('completed', at(stages + 1, 0));
  const seen = new Map<number, number>();
  for (const { id, step, stage = 0 } of steps) {
    const row = seen.get(stage) ?? 0;
    seen.set(stage, row + 1);
    places.set(id, at(stage, row));
    // One row stays free between the way forward and the way back.
    places.set(`undo.${step ?? ''}`, at(stage, rows + 1 + row));
  }
  const known = new Set(nodes.map(({ id }) => id));
  return new Map([...places].filter(([id]) => known.has(id)));
}

function arrow(from: Place | undefined, to: Place | undefined, kind: SagaGraph['edges'][number]['kind']): string {
  if (from === undefined || to === undefined) return '';
  const dashes = kind === 'next' ? '' : ' stroke-dasharray="5 4"';
  const [start, end] =
    kind === 'undo' ? [bottom(from), top(to)] : kind === 'next' ? [right(from), left(to)] : [left(from), right(to)];
  const middle = (start.x + end.x) / 2;
  const curve =
    kind === 'undo'
      ? `M${start.x} ${start.y}L${end.x} ${end.y}`
      : `M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
  return `<path d="${curve}" fill="${LINE.fill}" stroke="${LINE.stroke}" stroke-width="${LINE.width}"${dashes} marker-end="url(#tip)"/>`;
}

const left = ({ x, y }: Place): Place => ({ x, y: y + BOX.height / 2 });
const right = ({ x, y }: Place): Place => ({ x: x + BOX.width, y: y + BOX.height / 2 });
const top = ({ x, y }: Place): Place => ({ x: x + BOX.width / 2, y });
const bottom = ({ x, y }: Place): Place => ({ x: x + BOX.width / 2, y: y + BOX.height });

function box(node: GraphNode, place: Place | undefined): string {
  if (place === undefined) return '';
  const { fill, edge } = COLOURS[node.kind];
  const double = node.step_kind === 'irreversible' ? ' stroke-width="3"' : '';
  const rounded = node.kind === 'start' || node.kind === 'completed' ? BOX.height / 2 : 6;
  const slanted = node.step_kind === 'readOnly' ? ' font-style="italic"' : '';
  const middle = place.x + BOX.width / 2;
  const [first, second] = linesOf(node);
  const text = (line: string, y: number, size: number): string =>
    `<text x="${middle}" y="${y}" text-anchor="middle" font-size="${size}"${slanted} fill="#1c2430">${escaped(shortened(line))}</text>`;
  return [
    `<rect x="${place.x}" y="${place.y}" width="${BOX.width}" height="${BOX.height}" rx="${rounded}" fill="${fill}" stroke="${edge}"${double}/>`,
    second === '' ? text(first, place.y + 28, 13) : text(first, place.y + 20, 13) + text(second, place.y + 36, 11),
  ].join('');
}

const COLOURS = {
  start: { fill: '#eef1f5', edge: '#5b6472' },
  step: { fill: '#e6f1fb', edge: '#2c6cb0' },
  undo: { fill: '#fdf0e4', edge: '#b5651d' },
  completed: { fill: '#e5f5ea', edge: '#2f855a' },
} as const satisfies Record<GraphNode['kind'], { readonly fill: string; readonly edge: string }>;

function linesOf({ kind, step = '', topics = [] }: GraphNode): readonly [string, string] {
  switch (kind) {
    case 'start':
      return ['start', ''];
    case 'completed':
      return ['completed', ''];
    case 'step':
      return [step, topics.join(', ')];
    case 'undo':
      return [`undo ${step}`, topics.join(', ')];
  }
}

/** As many characters as a box is wide. */
const CHARACTERS = 28;

function shortened(text: string): string {
  return text.length <= CHARACTERS ? text : `${text.slice(0, CHARACTERS - 1)}…`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
