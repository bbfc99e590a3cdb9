/** The real router on a store that holds one job in a given situation. */
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { apiDocuments } from '../../lib/contract/api-documents.ts';
import { jobToJson } from '../../lib/contract/stored-job.ts';
import { createApp } from '../../lib/http/app.ts';
import { localCaller } from '../../lib/local/caller.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { publish } from '../../lib/operations/publish.ts';
import type { Ports } from '../../lib/ports.ts';
import type { Situation } from './situations.ts';
import type { Told } from './support.ts';

/** Fresh stores at this time. */
export type PortsAt = (now: number) => Ports | Promise<Ports>;

export const inMemory: PortsAt = (now) => memoryPorts({ start: now });

/** Of no workflow: what the interface offers does not depend on any. */
export const documents = apiDocuments({ workflows: [] });

export const OPERATOR = { 'x-caller-id': 'ann' };
export const OWNER = { 'x-caller-id': 'caller', 'x-caller-role': 'submitter' };
export const STRANGER = { 'x-caller-id': 'stranger', 'x-caller-role': 'submitter' };

export async function seeded(portsAt: PortsAt, { moment }: Pick<Situation, 'moment'>) {
  const { job, plan, rules, now } = moment;
  const ports = await portsAt(now);
  const engine: Engine = {
    ports,
    plans: { find: (type) => (type === plan.type ? plan : undefined), list: () => [plan] },
    rules,
    actor: 'orchestrator:operate',
  };
  await ports.jobs.create(job);
  await publish(engine, job);
  const revision = (await ports.jobs.read(job.jobId))?.revision ?? 0;
  const app = createApp({ engine, caller: localCaller, documents, door: { started: () => undefined } });
  const ask = async (path: string, body?: unknown, headers: Record<string, string> = OPERATOR): Promise<Told> => {
    const response = await app.request(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const stored = async (): Promise<string> => {
    const held = await ports.jobs.read(job.jobId);
    return held === null ? '' : jobToJson(held);
  };
  /** An action by its name in the table of situations. */
  const act = (name: string, said: Record<string, unknown>, headers = OPERATOR as Record<string, string>) => {
    const [verb, step, resolution] = name.split(' ');
    const needs = {
      'force-close': { confirm: job.jobId },
      resolve: { step, resolution, ...(resolution === 'applied' ? { output: { id: 7 } } : {}) },
    }[verb ?? ''];
    return ask(`/jobs/${job.jobId}/${verb}`, { ...needs, ...said }, headers);
  };
  const audit = async () => (await ask(`/audit?job_id=${job.jobId}&limit=100`)).body.items as Record<string, unknown>[];
  return { ports, engine, ask, act, stored, audit, revision, jobId: job.jobId };
}
