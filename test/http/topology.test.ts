/** What the definitions declare, laid over what jobs did. */
import { describe, expect, it } from 'vitest';
import { failure } from '../../lib/core/answers.ts';
import { registry } from '../../lib/definition/index.ts';
import { order } from '../../lib/workflows/order.ts';
import { house } from './support.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly topic: string | null;
  readonly purpose: string;
  readonly seen: string;
  readonly calls: number;
  readonly errors: number;
  readonly error_rate: number | null;
  readonly last_seen: string | null;
}
const refuses = ({ topic }: { topic: string }) =>
  topic === 'user:create' ? failure('DQ_EMAIL', 'no address', false) : undefined;

async function seen(place: ReturnType<typeof house>, headers: Record<string, string> = {}): Promise<Edge[]> {
  await place.ports.clock.advanceAsync(1_000);
  return (await place.ask('/topology', { headers })).body.edges as Edge[];
}
const edge = (edges: Edge[], topic: string): Edge | undefined => edges.find((one) => one.topic === topic);

describe('the topology', () => {
  it('shows what is declared and nobody has called yet', async () => {
    const edges = await seen(house());
    expect(edge(edges, 'tenant:create')).toMatchObject({
      ...{ from: 'workflow:signup', to: 'target:tenant', purpose: 'do', seen: 'unobserved' },
      ...{ calls: 0, errors: 0, error_rate: null, last_seen: null },
    });
    expect(new Set(edges.map(({ seen: how }) => how))).toEqual(new Set(['unobserved']));
  });

  it('counts calls, failures and undos, and names who starts what', async () => {
    const place = house(refuses);
    await place.submit({ 'x-caller-id': 'shop' });
    const edges = await seen(place);
    expect(edge(edges, 'tenant:create')).toMatchObject({ seen: 'observed', calls: 1, errors: 0, error_rate: 0 });
    expect(edge(edges, 'user:create')).toMatchObject({ seen: 'observed', calls: 1, errors: 1, error_rate: 1 });
    expect(edge(edges, 'tenant:delete')).toMatchObject({ purpose: 'undo', seen: 'observed', calls: 1 });
    expect(edge(edges, 'user:delete')).toMatchObject({ seen: 'unobserved' });
    expect(edges.filter(({ purpose }) => purpose === 'submit')).toMatchObject([
      { from: 'api:shop', to: 'workflow:signup', calls: 1, seen: 'observed' },
    ]);
  });

  it('names calls that no definition declares any more', async () => {
    const place = house();
    await place.submit();
    await place.ports.clock.advanceAsync(1_000);
    Object.assign(place.engine, { plans: registry(order) });
    const drift = (await seen(place)).filter(({ seen: how }) => how === 'undeclared');
    expect(drift.map(({ from, to, topic }) => `${from} ${to} ${topic}`)).toEqual([
      'workflow:signup target:billing step billing',
      'workflow:signup target:tenant step tenant',
      'workflow:signup target:user step user',
    ]);
  });

  it('shows submitters what their own jobs did, and nobody else', async () => {
    const place = house();
    await place.submit({ 'x-caller-id': 'shop' });
    const edges = await seen(place, { 'x-caller-id': 'other', 'x-caller-role': 'submitter' });
    expect(edges.filter(({ calls }) => calls > 0)).toEqual([]);
    expect(JSON.stringify(edges)).not.toContain('shop');
  });

  it('is drawn', async () => {
    const place = house();
    await place.submit({ 'x-caller-id': '<b>&"shop"' });
    await place.ports.clock.advanceAsync(1_000);
    const mermaid = await (await place.app.request('/topology?format=mermaid')).text();
    expect(mermaid).toMatch(/^flowchart LR\n/);
    const svg = await (await place.app.request('/topology?format=svg')).text();
    for (const name of ['workflow:signup', 'target:tenant']) {
      expect(mermaid).toContain(name);
      expect(svg).toContain(`>${name}</text>`);
    }
    expect(`${svg}${mermaid}`).not.toContain('<b>');
    expect((await place.ask('/topology?format=png')).status).toBe(400);
  });
});
