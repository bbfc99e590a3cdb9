/** Workflow definitions in a module of a team's own, found by what they are and not by their name. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { graphOf, type SagaGraph } from '../contract/describe/index.ts';
import type { Registry, Workflow } from '../definition/index.ts';
import { UsageError } from './refusals.ts';

type Plan = Workflow['plan'];

export async function plansIn(file: string): Promise<Plan[]> {
  const plans = plansOf(Object.values(await load(file)));
  if (plans.length === 0) throw new UsageError(`${file} exports no workflow and no registry: export one of them`);
  return plans;
}

export async function graphsIn(file: string, type: string | undefined): Promise<SagaGraph[]> {
  const plans = await plansIn(file);
  const named = plans.filter((plan) => type === undefined || plan.type === type);
  if (named.length > 0) return named.map(graphOf);
  throw new UsageError(`${file} has no workflow ${type}: it has ${plans.map((plan) => plan.type).join(', ')}`);
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new UsageError(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A workflow that is exported and registered is one workflow. */
function plansOf(exported: readonly unknown[]): Plan[] {
  const all = exported.flatMap((value) =>
    isRegistry(value) ? [...value.list()] : isWorkflow(value) ? [value.plan] : [],
  );
  return [...new Set(all)];
}

function isRegistry(value: unknown): value is Registry {
  return typeof value === 'object' && value !== null && 'workflows' in value && 'list' in value;
}

function isWorkflow(value: unknown): value is Workflow {
  return typeof value === 'object' && value !== null && 'plan' in value && 'outputs' in value;
}
