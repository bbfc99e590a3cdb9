/**
 * Where topics lead on AWS. A target is one participant: a function that is invoked, or a queue that takes commands. The
 * environment carries a list of targets, each with its topics, since Lambda grants all variables of a function 4 KB
 * together and a participant's address is by far the longest part of a route.
 * Invariant: every topic has exactly one target, and target names are unique; jobs store the name.
 */
import * as z from 'zod';
import type { Route } from '../core/plan.ts';

/** The longest a Lambda function can run at all: what a target is taken to need that says nothing of its own. */
const MAX_RUN_MS_DEFAULT = 900_000;
/** An asynchronous participant may take a day: a message can wait behind others before it is worked on. */
const MAX_RUN_MS_MAX = 86_400_000;

const topic = z.string().regex(/^[a-z][a-z0-9-]*:[a-z][a-z0-9:-]*$/, 'write topics such as tenant:create');

const target = z
  .strictObject({
    target: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'write a target name such as tenant'),
    topics: z.array(topic).min(1, 'a target without topics is never called: name its topics or leave it out'),
    /** Name or ARN of a function that is invoked; a name is shorter and enough within one account and region. */
    function: z.string().min(1).max(200).optional(),
    /** URL of a queue that takes commands. */
    queue_url: z
      .string()
      .regex(/^https?:\/\/\S{1,500}$/, 'write the URL of the queue')
      .optional(),
    /** Keeps an operation from ever applying once its undo has come: what the project's worker kit does. */
    fencing: z.boolean().default(true),
    /** The longest a call can still be at work after nobody listens any more. */
    max_run_ms: z.int().min(1).max(MAX_RUN_MS_MAX).default(MAX_RUN_MS_DEFAULT),
  })
  .refine((read) => (read.function === undefined) !== (read.queue_url === undefined), {
    message: 'give a target either a function or a queue_url',
  });

const targets = z.array(target);

/** One entry of the environment's list, as infrastructure writes it. */
export type TargetDocument = z.input<typeof target>;

export type Address =
  | { readonly kind: 'lambda'; readonly functionArn: string }
  | { readonly kind: 'queue'; readonly queueUrl: string };

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
    const route = { target: entry.target, fencing: entry.fencing, maxRunMs: entry.max_run_ms };
    for (const name of entry.topics) {
      const other = routes.get(name);
      if (other !== undefined) throw new Error(`topic ${name} leads to ${other.target} and ${entry.target}: keep one`);
      routes.set(name, route);
    }
  }
  return { routes, addresses };
}

function addressOf(entry: z.output<typeof target>): Address {
  if (entry.function !== undefined) return { kind: 'lambda', functionArn: entry.function };
  if (entry.queue_url !== undefined) return { kind: 'queue', queueUrl: entry.queue_url };
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
