/**
 * The environment of embedded mode, read once and checked. Only `*environment.ts` of this folder look at `process.env`.
 * A value that makes no sense stops the start with what to write instead: a silent default would hide the typo.
 */
import * as z from 'zod';
import { type AwsEnvironment, parseAwsEnvironment } from './aws-environment.ts';

export interface LocalEnvironment {
  /** 0 means any free port. */
  readonly port: number;
  readonly dataDirectory: string;
  /** Work in a temporary directory and remove it at the end. */
  readonly ephemeral: boolean;
  /** Of `errors.json`; null: retry policies as they are written in the code. */
  readonly errorsFile: string | null;
  /** An event for every transition, not only for outcomes. */
  readonly lifecycleEvents: boolean;
  /** Of how participants are reached where not in the process; null: all of them in the process. */
  readonly routesFile: string | null;
  /** Of what `secret:<name>` stands for in that file. */
  readonly secretsFile: string | null;
  /** The parent is npm itself, see the script `start`. */
  readonly startedByNpm: boolean;
}

const PORT_DEFAULT = '3000';
const DATA_DIRECTORY_DEFAULT = '.dacapo';

/** An empty variable counts as one that is not set: shells make no difference when they pass it on. */
const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

const flag = (name: string) =>
  optional
    .refine((text) => text === undefined || text === '0' || text === '1', `${name}: write 1 or leave it out`)
    .transform((text) => text === '1');

const LOCAL = z.object({
  PORT: optional
    .transform((text) => text ?? PORT_DEFAULT)
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, 'PORT: write a number from 0 to 65535')
    .transform(Number),
  DACAPO_DATA: optional.transform((text) => text ?? DATA_DIRECTORY_DEFAULT),
  DACAPO_EPHEMERAL: flag('DACAPO_EPHEMERAL'),
  DACAPO_ERRORS: optional.transform((text) => text ?? null),
  DACAPO_ROUTES: optional.transform((text) => text ?? null),
  DACAPO_SECRETS: optional.transform((text) => text ?? null),
  DACAPO_LIFECYCLE_EVENTS: flag('DACAPO_LIFECYCLE_EVENTS'),
  npm_lifecycle_event: optional.transform((text) => text === 'start'),
});

export function readLocalEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): LocalEnvironment {
  const read = LOCAL.safeParse(variables);
  if (!read.success) throw new Error(read.error.issues.map((issue) => issue.message).join('; '));
  const { PORT: port, DACAPO_DATA: dataDirectory, DACAPO_EPHEMERAL: ephemeral, DACAPO_ERRORS: errorsFile } = read.data;
  const { DACAPO_LIFECYCLE_EVENTS: lifecycleEvents, npm_lifecycle_event: startedByNpm } = read.data;
  const { DACAPO_ROUTES: routesFile, DACAPO_SECRETS: secretsFile } = read.data;
  return { port, dataDirectory, ephemeral, errorsFile, lifecycleEvents, startedByNpm, routesFile, secretsFile };
}

/** What a Lambda is told; see aws-environment.ts. */
export function readAwsEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): AwsEnvironment {
  return parseAwsEnvironment(variables);
}
