/** Definitions as the deployment has them. */
import type { SagaGraph } from '../contract/describe/graph.ts';
import type { JsonObject } from '../contract/json.ts';
import type { Send } from './transport.ts';

export interface Migration {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** Ask only. */
  readonly dryRun?: boolean;
}

export interface MigrationReport {
  readonly migrated: number;
  readonly refused_count: number;
  readonly refused: readonly { readonly job_id: string; readonly reason: string }[];
  /** There are further jobs: ask again. */
  readonly more: boolean;
}

export interface Definitions {
  list(): Promise<readonly JsonObject[]>;
  get(type: string, version?: number): Promise<JsonObject>;
  /** Steps, undos and the ways forward and back. */
  graph(type: string, version?: number): Promise<SagaGraph>;
  /** Moves running jobs to another version; those that cannot go are told with the reason. */
  migrate(type: string, migration: Migration): Promise<MigrationReport>;
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
    migrate: async (type, { from, to, reason, dryRun = false }) => {
      const path = `/workflows/${encodeURIComponent(type)}/migrate`;
      const body = { from, to, reason, dry_run: dryRun };
      // Jobs that were moved are not there to be moved again.
      return (await send({ method: 'POST', path, body, repeatable: true })).body as MigrationReport;
    },
    graph: async (type, version) => {
      const path = `/workflows/${encodeURIComponent(type)}/graph`;
      return (await send({ method: 'GET', path, query: { version }, repeatable: true })).body as SagaGraph;
    },
  };
}
