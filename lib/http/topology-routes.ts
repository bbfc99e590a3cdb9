/** Who calls whom, as the viewer's own jobs show it: operators see all of it. */
import type { Hono } from 'hono';
import { readTopologyParameters } from '../contract/requests.ts';
import { topologyMermaid, topologySvg, wireTopology } from '../contract/wire-topology.ts';
import { readTopology } from '../operations/topology.ts';
import type { AppParts } from './parts.ts';
import { json, plainText, svg } from './respond.ts';
import { type Asked, resource } from './routing.ts';

export function topologyRoutes(app: Hono, parts: AppParts): void {
  resource(app, '/topology', { GET: (asked) => show(parts, asked) });
}

async function show({ engine, caller }: AppParts, asked: Asked): Promise<Response> {
  const viewer = caller(asked.request);
  const format = readTopologyParameters(asked.parameters);
  const { edges, jobs } = await readTopology(engine, viewer);
  switch (format) {
    case 'json':
      return json(200, wireTopology(edges, jobs));
    case 'mermaid':
      return plainText(200, `${topologyMermaid(edges)}\n`);
    case 'svg':
      return svg(200, topologySvg(edges));
  }
}
