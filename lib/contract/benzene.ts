/**
 * dacapo itself as a service of the Benzene Cloud Service Profile: the topics it serves, derived from the definitions,
 * the descriptor that a mesh collects, the health document, and which of the profile's requirements the wiring meets.
 */
import * as z from 'zod';
import { fingerprint, type JsonObject } from '../core/json.ts';
import type { Workflow } from '../definition/index.ts';
import { eventKindsOf } from './asyncapi/index.ts';
import { job } from './openapi/answers.ts';
import { anyJson } from './schema.ts';

export const BENZENE = {
  health: '/benzene/health',
  spec: '/benzene/spec',
  invoke: '/benzene/invoke',
  healthTopic: 'benzene:healthcheck',
  meshTopic: 'benzene:mesh',
} as const;

/** Submits over the envelope: one topic a workflow, versions told apart by `x-workflow-version`. */
const SUBMIT_TOPIC = /^([a-z][a-z0-9-]{0,99}):submit$/;

export function submitTopic(workflowType: string): string {
  return `${workflowType}:submit`;
}

/** The workflow that a topic submits to; null when it is none of these. */
export function submittedBy(topic: string): string | null {
  return SUBMIT_TOPIC.exec(topic)?.[1] ?? null;
}

export interface HealthCheck {
  readonly status: 'ok' | 'failed';
  readonly type: string;
}

export interface Health {
  readonly isHealthy: boolean;
  readonly healthChecks: Readonly<Record<string, HealthCheck>>;
}

export const healthShape: z.ZodType<Health> = z.object({
  isHealthy: z.boolean(),
  healthChecks: z.record(z.string(), z.object({ status: z.enum(['ok', 'failed']), type: z.string() })),
});

export function healthOf(checks: Readonly<Record<string, HealthCheck>>): Health {
  return { isHealthy: Object.values(checks).every(({ status }) => status === 'ok'), healthChecks: checks };
}

export const topicShape = z.object({
  id: z.string(),
  version: z.string(),
  requestSchema: anyJson,
  responseSchema: anyJson,
});
export const descriptorShape = z.object({
  service: z.string(),
  serviceVersion: z.string(),
  runtime: z.string(),
  binding: z.string(),
  topics: z.array(topicShape),
  produces: z.array(z.object({ id: z.string() })),
  descriptorHash: z.string(),
  profile: z.object({ name: z.string(), missing: z.array(z.string()).exactOptional() }),
});
export const specShape = z.object({
  service: z.string(),
  serviceVersion: z.string(),
  topics: z.array(topicShape),
  reserved: z.array(z.string()),
  produces: z.array(z.object({ id: z.string() })),
  documents: z.record(z.string(), z.string()),
});

export type Descriptor = z.output<typeof descriptorShape>;

/** Every part of the contract counts for the hash, so that a collector sees when a deployment has changed it. */
export function descriptorOf(version: string, workflows: readonly Workflow[]): Descriptor {
  const contract = {
    service: 'dacapo',
    serviceVersion: version,
    runtime: 'node',
    binding: 'http',
    topics: topicsOf(workflows),
    produces: producedBy(workflows),
  };
  const missing = missingRequirements(contract.topics.length);
  return {
    ...contract,
    descriptorHash: `sha256:${fingerprint(contract as JsonObject)}`,
    profile: { name: 'cloud-service', ...(missing.length === 0 ? {} : { missing }) },
  };
}

export function specOf(version: string, workflows: readonly Workflow[]): z.output<typeof specShape> {
  return {
    service: 'dacapo',
    serviceVersion: version,
    topics: topicsOf(workflows),
    reserved: [BENZENE.healthTopic, BENZENE.meshTopic],
    produces: producedBy(workflows),
    documents: { openapi: '/openapi.json', asyncapi: '/asyncapi.json' },
  };
}

function topicsOf(workflows: readonly Workflow[]): Descriptor['topics'] {
  const responseSchema = inline(job);
  return workflows
    .map(({ plan, input }) => ({
      id: submitTopic(plan.type),
      version: `v${plan.version}`,
      requestSchema: inline(input),
      responseSchema,
    }))
    .sort((a, b) => (a.id === b.id ? a.version.localeCompare(b.version) : a.id < b.id ? -1 : 1));
}

function producedBy(workflows: readonly Workflow[]): Descriptor['produces'] {
  const kinds = eventKindsOf(workflows.map(({ plan }) => plan));
  return [...kinds.keys()].sort().map((id) => ({ id }));
}

type InlineSchema = Descriptor['topics'][number]['requestSchema'];

/** Schemas of a descriptor stand alone: shared parts are written out, and what refers to itself is left open. */
function inline(schema: z.ZodType): InlineSchema {
  const { $schema: _, $defs: __, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return withoutReferences(JSON.parse(JSON.stringify(made)) as InlineSchema);
}

function withoutReferences(part: InlineSchema): InlineSchema {
  if (Array.isArray(part)) return part.map(withoutReferences);
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part) return {};
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutReferences(value)]));
}

/** Of R1 to R8, by what is wired: R6 names feeds to a collector, which are not sent. */
function missingRequirements(topics: number): string[] {
  return [...(topics === 0 ? ['R2'] : []), 'R6'];
}
