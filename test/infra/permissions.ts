/**
 * What every function, and every role beside them, may do: actions by resource, as the templates say. Held to a golden
 * file, so that no right is gained unseen. `node test/infra/permissions.ts` renews it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { named, ofType, plain, type Synthesised, synthesise } from './templates.ts';

export const GOLDEN = join(import.meta.dirname, 'golden/permissions.json');

/** By role, then by resource. */
export type Permissions = Record<string, Record<string, string[]>>;

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

export function permissionsOf(synthesised: Synthesised): Permissions {
  const permissions: Permissions = {};
  for (const [, { Roles, PolicyDocument }] of ofType(synthesised, 'AWS::IAM::Policy')) {
    for (const role of (Roles as unknown[]).map((one) => plain(named(one)))) {
      const rights = permissions[role] ?? {};
      permissions[role] = rights;
      for (const statement of (PolicyDocument as { Statement: Statement[] }).Statement) {
        for (const resource of list(statement.Resource)) {
          const condition = statement.Condition === undefined ? '' : ` if ${JSON.stringify(statement.Condition)}`;
          const key = `${plain(named(resource))}${condition}`;
          rights[key] = [...new Set([...(rights[key] ?? []), ...list(statement.Action)])].sort();
        }
      }
    }
  }
  return sorted(permissions);
}

function sorted(permissions: Permissions): Permissions {
  const byName = <T>(record: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return byName(Object.fromEntries(Object.entries(permissions).map(([role, rights]) => [role, byName(rights)])));
}

if (import.meta.main) {
  writeFileSync(GOLDEN, `${JSON.stringify(permissionsOf(synthesise()), null, 2)}\n`);
}
