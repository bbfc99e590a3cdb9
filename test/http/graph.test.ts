import { expect, it } from 'vitest';
import { graphOf, sagaSvg } from '../../lib/contract/describe/index.ts';
import { signup } from '../../lib/workflows/signup.ts';
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
  expect((await ask('/workflows/order/graph?format=png')).body.detail).toContain('write one of json, mermaid, svg');
  expect((await ask('/workflows/order/graph?colour=red')).status).toBe(400);
  expect((await ask('/workflows/order/graph?version=9')).body.code).toBe('ORCH_UNKNOWN_WORKFLOW');
  expect((await ask('/workflows/nope/graph')).status).toBe(404);
});

it('as a picture it shows every step and every undo, and nothing in it can run', async () => {
  const { app, ask } = house();
  const { body } = await ask('/workflows/order/graph');
  const drawn = await app.request('/workflows/order/graph?format=svg');
  expect([drawn.status, drawn.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  expect(drawn.headers.get('content-security-policy')).toBe("default-src 'none'");
  const svg = await drawn.text();
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  for (const text of ['payment:authorise', 'undo reservation', 'inventory:release'])
    expect(svg).toContain(`>${text}</text>`);
  expect(svg.match(/<rect x=/g)).toHaveLength((body.nodes as unknown[]).length);
  expect(svg.match(/marker-end/g)).toHaveLength((body.edges as unknown[]).length);
  expect(svg).not.toMatch(/<script|onload=|href=/);
});

it('names that could be markup stay text', () => {
  const svg = sagaSvg({ ...graphOf(signup.plan), workflow_type: '<script>alert(1)</script>' });
  expect(svg).toContain('&lt;script&gt;');
  expect(svg).not.toContain('<script');
});
