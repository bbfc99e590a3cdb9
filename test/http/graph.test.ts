import { expect, it } from 'vitest';
import { house } from './support.ts';

it('a workflow is drawn as data by default, and as Mermaid when asked', async () => {
  const { ask, app } = house();
  const { status, body } = await ask('/workflows/order/graph');
  expect([status, body.workflow_type, body.recovery]).toEqual([200, 'order', 'listed']);
  expect((await ask('/workflows/order/graph?format=json&version=1')).body).toEqual(body);
  const drawn = await app.request('/workflows/order/graph?format=mermaid');
  expect(drawn.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await drawn.text()).toMatch(/^flowchart TD\n/);
});

it('what cannot be drawn says why', async () => {
  const { ask } = house();
  const svg = await ask('/workflows/order/graph?format=svg');
  expect([svg.status, svg.body.code]).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
  expect(svg.body.detail).toContain('svg is not offered yet; write mermaid');
  expect((await ask('/workflows/order/graph?format=png')).body.detail).toContain('write one of json, mermaid');
  expect((await ask('/workflows/order/graph?colour=red')).status).toBe(400);
  expect((await ask('/workflows/order/graph?version=9')).body.code).toBe('ORCH_UNKNOWN_WORKFLOW');
  expect((await ask('/workflows/nope/graph')).status).toBe(404);
});
