/**
 * Where topics lead on AWS. A target is one participant: a function that is invoked, or a queue that takes commands. The
 * environment carries a list of targets, each with its topics, since Lambda grants all variables of a function 4 KB
 * together and a participant's address is by far the longest part of a route.
 * Invariant: every topic has exactly one target, and target names are unique; jobs store the name.
 */
import * as z from 'zod';
import type { Route } from '../core/plan.ts';
import { TARGET_NAME, TOPIC_NAME } from './route-names.ts';

/** The longest a Lambda function can run at all: what a target is taken to need that says nothing of its own. */
const MAX_RUN_MS_DEFAULT = 900_000;
/** An asynchronous participant may take a day: a message can wait behind others before it is worked on. */
const MAX_RUN_MS_MAX = 86_400_000;

const topic = z.string().regex(TOPIC_NAME, 'write topics such as tenant:create');

const ADDRESSES = ['function', 'queue_url', 'http_worker', 'event_bus'] as const;

const target = z
  .strictObject({
    target: z.string().regex(TARGET_NAME, 'write a target name such as tenant'),
    topics: z.array(topic).min(1, 'a target without topics is never called: name its topics or leave it out'),
    /** Name or ARN of a function that is invoked; a name is shorter and enough within one account and region. */
    function: z.string().min(1).max(200).optional(),
    /** URL of a queue that takes commands. */
    queue_url: z
      .string()
      .regex(/^https?:\/\/\S{1,500}$/, 'write the URL of the queue')
      .optional(),
    /** Name of the function that calls this target over HTTPS; where it is, that function is told. */
    http_worker: z.string().min(1).max(200).optional(),
    /** Name of a bus that takes the call as an event, which nobody answers. */
    event_bus: z.string().min(1).max(256).optional(),
    /** Keeps an operation from ever applying once its undo has come: what the project's worker kit does. */
    fencing: z.boolean().default(true),
    /** The longest a call can still be at work after nobody listens any more. */
    max_run_ms: z.int().min(1).max(MAX_RUN_MS_MAX).default(MAX_RUN_MS_DEFAULT),
  })
  .refine((read) => ADDRESSES.filter((name) => read[name] !== undefined).length === 1, {
    message: `give a target one address: ${ADDRESSES.join(', ')}`,
  });

const targets = z.array(target);

/** One entry of the environment's list, as infrastructure writes it. */
export type TargetDocument = z.input<typeof target>;

export type Address =
  | { readonly kind: 'lambda'; readonly functionArn: string }
  | { readonly kind: 'queue'; readonly queueUrl: string }
  | { readonly kind: 'http'; readonly workerArn: string }
  | { readonly kind: 'event'; readonly busName: string };

export interface RouteTable {
  /** By topic. */
  readonly routes: ReadonlyMap<string, Route>;
  /** By target name: an undo goes where its effect was made, also after the topic was routed elsewhere. */
  readonly addresses: ReadonlyMap<string, Address>;
}

/** @param text the JSON list; throws with what to correct */
export function parseRoutes(text: string): RouteTable {
  const read = targets.safeParse(json(text));
  if (!read.success) throw new Error(read.error.issues.map(told).join('; '));
  const routes = new Map<string, Route>();
  const addresses = new Map<string, Address>();
  for (const entry of read.data) {
    if (addresses.has(entry.target))
      throw new Error(`target ${entry.target} is there twice: join its topics in one entry`);
    addresses.set(entry.target, addressOf(entry));
    const route = { target: entry.target, fencing: entry.fencing, maxRunMs: entry.max_run_ms, ...habitsOf(entry) };
    for (const name of entry.topics) {
      const other = routes.get(name);
      if (other !== undefined) throw new Error(`topic ${name} leads to ${other.target} and ${entry.target}: keep one`);
      routes.set(name, route);
    }
  }
  return { routes, addresses };
}

function habitsOf(entry: z.output<typeof target>): Pick<Route, 'answersLater' | 'oneWay'> {
  if (entry.queue_url !== undefined) return { answersLater: true };
  return entry.event_bus === undefined ? {} : { oneWay: true };
}

function addressOf(entry: z.output<typeof target>): Address {
  if (entry.function !== undefined) return { kind: 'lambda', functionArn: entry.function };
  if (entry.queue_url !== undefined) return { kind: 'queue', queueUrl: entry.queue_url };
  if (entry.http_worker !== undefined) return { kind: 'http', workerArn: entry.http_worker };
  if (entry.event_bus !== undefined) return { kind: 'event', busName: entry.event_bus };
  throw new Error(`target ${entry.target} has no address`);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the routes are not JSON: write a list of targets');
  }
}

function told(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}
