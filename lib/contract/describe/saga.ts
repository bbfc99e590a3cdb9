/** One workflow for people: its saga as a drawing, its steps as a table, and what happens when it turns back. */
import { isObject, type Json } from '../../core/json.ts';
import { code, drawing, facts, type Part, span, table, text } from './document.ts';
import type { GraphEdge, GraphNode, SagaGraph } from './graph.ts';

export function saga(graph: SagaGraph): Part {
  const undos = new Map(graph.nodes.filter(({ kind }) => kind === 'undo').map((node) => [node.step, node]));
  const steps = graph.nodes.filter(({ kind }) => kind === 'step');
  return {
    name: graph.workflow_type,
    title: `${graph.workflow_type}, version ${graph.workflow_version}`,
    blocks: [
      drawing(sagaDrawing(graph)),
      table(
        ['stage', 'step', 'kind', 'calls', 'within', 'when nobody knows', 'undone by'],
        steps.map((node) => stepRow(node, undos.get(node.step))),
      ),
      text(...rules(graph)),
      ...overrides(graph),
    ],
    facts: facts(graph),
  };
}

const UNKNOWN: Readonly<Record<string, string>> = {
  retry: 'call again, same operation',
  query: 'ask',
  compensate: 'undo it',
  review: 'ask a person',
};

function stepRow(node: GraphNode, undo: GraphNode | undefined): string[] {
  const { stage, step = '', step_kind, topics = [], query, timeout_ms = 0, on_unknown = 'retry', undo_none } = node;
  const unknown = step_kind === 'readOnly' ? 'call again' : (UNKNOWN[on_unknown] ?? on_unknown);
  const asked = query == null ? '' : ` (query ${code(query)})`;
  return [
    String(stage),
    code(step),
    step_kind ?? '',
    topics.map(code).join(', '),
    span(timeout_ms),
    `${unknown}${asked}`,
    undo === undefined
      ? undo_none === undefined
        ? '–'
        : `nothing: ${undo_none}`
      : (undo.topics ?? []).map(code).join(' or '),
  ];
}

const WAY_BACK = {
  reverse: 'Undone one after the other, last completed first.',
  concurrent: 'Undone all at once.',
} as const;

function rules(graph: SagaGraph): string[] {
  const { recovery, events, saga_attempts } = graph;
  const order = graph.nodes.filter(({ kind }) => kind === 'undo').length === 0 ? 'Nothing to undo.' : null;
  const listed =
    recovery === 'listed' ? `Undone in this order: ${listedOrder(graph).map(code).join(', ')}.` : WAY_BACK[recovery];
  return [
    order ?? listed,
    `Forward within ${span(graph.deadline_ms)} and ${graph.max_retries} retries, back within ${span(graph.undo_deadline_ms)}.`,
    ...(saga_attempts > 1 ? [`After a clean rollback the whole is tried up to ${saga_attempts} times.`] : []),
    ...(graph.on_failed === 'rerun' ? ['A duplicate of a failed job that left nothing behind runs it again.'] : []),
    ...(graph.quarantine === 'always' ? ['Every failure is quarantined.'] : []),
    `Events: ${code(events.completed)}, ${code(events.failed)}.`,
  ];
}

function listedOrder({ edges, nodes }: SagaGraph): string[] {
  const chain = edges.filter(({ kind }) => kind === 'undo_next');
  const ids = chain.length === 0 ? nodes.filter(({ kind }) => kind === 'undo').map(({ id }) => id) : [];
  const order = chain[0] === undefined ? ids : [chain[0].from, ...chain.map(({ to }) => to)];
  return order.map((id) => nodes.find((node) => node.id === id)?.step ?? id);
}

function overrides({ retry, nodes }: SagaGraph) {
  const rows = [
    ...policyRows('the workflow', retry),
    ...nodes.flatMap(({ kind, step = '', retry: own = null }) =>
      kind === 'undo'
        ? policyRows(`the undo of ${code(step)}`, isEmpty(own) ? null : { 'every code': own })
        : policyRows(code(step), own),
    ),
  ];
  return rows.length === 0 ? [] : [table(['retry policy of', 'for', 'says'], rows)];
}

function policyRows(whose: string, policies: Json): string[][] {
  if (!isObject(policies)) return [];
  return Object.entries(policies).map(([errors, policy]) => [
    whose,
    code(errors),
    isObject(policy)
      ? Object.entries(policy)
          .map(([field, value]) => `${field} ${String(value)}`)
          .join(', ')
      : '',
  ]);
}

function isEmpty(value: Json): boolean {
  return !isObject(value) || Object.keys(value).length === 0;
}

/** Mermaid knows words and marks that a step may be called by, so nodes are numbered and labels quoted. */
export function sagaDrawing(graph: SagaGraph): string {
  const ids = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]));
  const idOf = (id: string): string => ids.get(id) ?? id;
  const stages = [...new Set(graph.nodes.flatMap(({ stage }) => stage ?? []))];
  return [
    'flowchart TD',
    ...graph.nodes.filter(({ stage }) => stage === undefined).map((node) => `  ${idOf(node.id)}${shape(node, graph)}`),
    ...stages.flatMap((stage) => [
      `  subgraph stage${stage}["stage ${stage}"]`,
      ...graph.nodes.filter((node) => node.stage === stage).map((node) => `    ${idOf(node.id)}${shape(node, graph)}`),
      '  end',
    ]),
    ...graph.edges.map(({ from, to, kind }) => `  ${idOf(from)} ${ARROWS[kind]} ${idOf(to)}`),
    '  classDef undo stroke-dasharray:4',
    ...undoClass(graph, idOf),
  ].join('\n');
}

const ARROWS: Readonly<Record<GraphEdge['kind'], string>> = {
  next: '-->',
  undo: '-. undone by .->',
  undo_next: '-. then .->',
};

function undoClass({ nodes }: SagaGraph, idOf: (id: string) => string): string[] {
  const undos = nodes.filter(({ kind }) => kind === 'undo').map(({ id }) => idOf(id));
  return undos.length === 0 ? [] : [`  class ${undos.join(',')} undo`];
}

/** What only reads is drawn slanted, what cannot be undone doubly framed, an undo rounded. */
function shape({ kind, step = '', step_kind, topics = [], undo_none }: GraphNode, graph: SagaGraph): string {
  if (kind === 'start') return `(["${label(graph.workflow_type)}"])`;
  if (kind === 'completed') return '(["completed"])';
  if (kind === 'undo') return `("${topics.map(label).join('<br/>or ')}")`;
  const none = undo_none === undefined ? '' : `<br/>no undo: ${label(undo_none)}`;
  const told = `"${label(step)}<br/>${topics.map(label).join('<br/>')}${none}"`;
  if (step_kind === 'readOnly') return `[/${told}/]`;
  return step_kind === 'irreversible' ? `[[${told}]]` : `[${told}]`;
}

function label(words: string): string {
  return words.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]|["#;<>`]/gu, (mark) => `#${mark.codePointAt(0)};`);
}
