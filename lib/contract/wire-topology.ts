/** The topology as it is shown: edges as data, as Mermaid, and as a picture. */
import type { JsonObject } from '../core/json.ts';
import type { TopologyEdge } from '../core/topology.ts';
import { isoTimeOrNull } from './wire-time.ts';

export function wireTopology(edges: readonly TopologyEdge[], jobs: number): JsonObject {
  return { jobs_looked_at: jobs, nodes: nodesOf(edges).map((id) => ({ id })), edges: edges.map(wireEdge) };
}

function wireEdge(edge: TopologyEdge): JsonObject {
  return {
    from: edge.from,
    to: edge.to,
    topic: edge.topic,
    purpose: edge.purpose,
    seen: edge.seen,
    calls: edge.calls,
    errors: edge.errors,
    error_rate: edge.calls === 0 ? null : edge.errors / edge.calls,
    p95_ms: edge.p95Ms,
    last_seen: isoTimeOrNull(edge.lastSeen),
  };
}

function nodesOf(edges: readonly TopologyEdge[]): string[] {
  return [...new Set(edges.flatMap(({ from, to }) => [from, to]))].sort();
}

/** One line between two nodes, however many topics: what was seen is drawn whole, the rest dotted, drift thick. */
export function topologyMermaid(edges: readonly TopologyEdge[]): string {
  const nodes = nodesOf(edges);
  const id = (name: string): string => `n${nodes.indexOf(name)}`;
  const label = (text: string): string =>
    `"${text.replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;')}"`;
  const lines = bundled(edges).map(({ from, to, seen, calls }) => {
    const arrow = seen === 'undeclared' ? '==>' : seen === 'observed' ? '-->' : '-.->';
    return `  ${id(from)} ${arrow}|${label(`${calls} calls`)}| ${id(to)}`;
  });
  return ['flowchart LR', ...nodes.map((name) => `  ${id(name)}[${label(name)}]`), ...lines].join('\n');
}

interface Bundle {
  readonly from: string;
  readonly to: string;
  readonly seen: TopologyEdge['seen'];
  readonly calls: number;
}

function bundled(edges: readonly TopologyEdge[]): Bundle[] {
  const bundles = new Map<string, Bundle>();
  for (const { from, to, seen, calls } of edges) {
    const key = JSON.stringify([from, to]);
    const known = bundles.get(key);
    const worst = known === undefined ? seen : moreTelling(known.seen, seen);
    bundles.set(key, { from, to, seen: worst, calls: (known?.calls ?? 0) + calls });
  }
  return [...bundles.values()];
}

const TELLING = ['unobserved', 'observed', 'undeclared'] as const satisfies readonly TopologyEdge['seen'][];

function moreTelling(a: TopologyEdge['seen'], b: TopologyEdge['seen']): TopologyEdge['seen'] {
  return TELLING.indexOf(a) > TELLING.indexOf(b) ? a : b;
}

const BOX = { width: 220, height: 34, gap: 16, column: 330 } as const;
const STROKE = { observed: '#2c6cb0', unobserved: '#a0a8b4', undeclared: '#c53030' } as const;

/** Callers, workflows and targets in three columns. */
export function topologySvg(edges: readonly TopologyEdge[]): string {
  const nodes = nodesOf(edges);
  const columnOf = (name: string): number => (name.startsWith('workflow:') ? 1 : name.startsWith('target:') ? 2 : 0);
  const rows = [0, 0, 0];
  const places = new Map(
    nodes.map((name) => {
      const column = columnOf(name);
      const row = rows[column] ?? 0;
      rows[column] = row + 1;
      return [name, { x: 20 + column * BOX.column, y: 20 + row * (BOX.height + BOX.gap) }] as const;
    }),
  );
  const height = 20 + Math.max(1, ...rows) * (BOX.height + BOX.gap);
  const width = 40 + 2 * BOX.column + BOX.width;
  const lines = bundled(edges).map(({ from, to, seen, calls }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return '';
    const [x1, y1, x2, y2] = [a.x + BOX.width, a.y + BOX.height / 2, b.x, b.y + BOX.height / 2];
    const dashes = seen === 'unobserved' ? ' stroke-dasharray="4 4"' : '';
    return `<path d="M${x1} ${y1}L${x2} ${y2}" fill="none" stroke="${STROKE[seen]}" stroke-width="${seen === 'undeclared' ? 3 : 1.4}"${dashes}><title>${calls} calls, ${seen}</title></path>`;
  });
  const boxes = nodes.map((name) => {
    const { x, y } = places.get(name) ?? { x: 0, y: 0 };
    return `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5" fill="#eef3f9" stroke="#5b6472"/><text x="${x + BOX.width / 2}" y="${y + 22}" text-anchor="middle">${escaped(name)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="sans-serif" font-size="12">`,
    '<title>Who calls whom</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...lines,
    ...boxes,
    '</svg>',
  ].join('\n');
}

const NAME_CHARACTERS_MAX = 34;

function escaped(text: string): string {
  const short = text.length <= NAME_CHARACTERS_MAX ? text : `${text.slice(0, NAME_CHARACTERS_MAX - 1)}…`;
  return short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
