/**
 * How embedded mode reaches its participants, where that is told: an example service over a queue, any target over HTTP,
 * a topic as an event. What the file does not name is called in the process, as it always was.
 */
import * as z from 'zod';
import { type HttpTargets, httpTarget, readHttpTargets } from './http-targets.ts';
import { TARGET_NAME, TOPIC_NAME } from './route-names.ts';

const name = z.string().regex(TARGET_NAME, 'write a target name such as tenant');
const topics = z.array(z.string().regex(TOPIC_NAME, 'write topics such as tenant:create')).min(1);
const habits = { fencing: z.boolean().default(true), max_run_ms: z.int().min(1).max(86_400_000).optional() };

const WAYS = z.strictObject({
  allowed_hosts: z.array(z.string()).default([]),
  targets: z.array(
    z.discriminatedUnion('by', [
      /** The example service of that name. */
      z.strictObject({ by: z.literal('queue'), target: name, ...habits }),
      z.strictObject({ by: z.literal('http'), topics, ...httpTarget.shape, ...habits }),
      z.strictObject({ by: z.literal('event'), target: name, topics }),
    ]),
  ),
});

export interface LocalWay {
  readonly by: 'queue' | 'http' | 'event';
  readonly target: string;
  /** null: all that the example service of this name serves. */
  readonly topics: readonly string[] | null;
  readonly fencing: boolean;
  readonly maxRunMs: number | null;
}

export interface LocalWays {
  readonly ways: readonly LocalWay[];
  readonly http: HttpTargets;
}

export const NO_WAYS: LocalWays = { ways: [], http: { allowedHosts: [], targets: new Map() } };

/** @throws with what to correct */
export function parseLocalWays(text: string): LocalWays {
  const read = WAYS.safeParse(JSON.parse(text));
  if (!read.success) {
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  }
  const { allowed_hosts, targets } = read.data;
  const web = targets.flatMap((one) => {
    if (one.by !== 'http') return [];
    const { by: _by, topics: _topics, fencing: _fencing, max_run_ms: _longest, ...target } = one;
    return [target];
  });
  return {
    ways: targets.map((one) => ({
      by: one.by,
      target: one.target,
      topics: one.by === 'queue' ? null : one.topics,
      fencing: one.by === 'event' ? true : one.fencing,
      maxRunMs: one.by === 'event' ? null : (one.max_run_ms ?? null),
    })),
    http: readHttpTargets({ allowed_hosts, targets: web }),
  };
}

/** `{name: text}`: what `secret:<name>` stands for. */
export function parseLocalSecrets(text: string): ReadonlyMap<string, string> {
  const read = z.record(z.string(), z.string()).safeParse(JSON.parse(text));
  if (!read.success) throw new Error('write an object of names and texts');
  return new Map(Object.entries(read.data));
}
