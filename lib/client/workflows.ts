/** Definitions as the deployment has them. */
import type { SagaGraph } from '../contract/describe/graph.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Send } from './transport.ts';

export interface Definitions {
  list(): Promise<readonly JsonObject[]>;
  get(type: string, version?: number): Promise<JsonObject>;
  /** Steps, undos and the ways forward and back. */
  graph(type: string, version?: number): Promise<SagaGraph>;
}

export function definitions(send: Send): Definitions {
  return {
    list: async () => {
      const { body } = await send({ method: 'GET', path: '/workflows', repeatable: true });
      return (body as { readonly items: readonly JsonObject[] }).items;
    },
    get: async (type, version) => {
      const path = `/workflows/${encodeURIComponent(type)}`;
      return (await send({ method: 'GET', path, query: { version }, repeatable: true })).body as JsonObject;
    },
    graph: async (type, version) => {
      const path = `/workflows/${encodeURIComponent(type)}/graph`;
      return (await send({ method: 'GET', path, query: { version }, repeatable: true })).body as SagaGraph;
    },
  };
}
