/** What every command works with: the client, the screen, and what was said once for all commands. */
import type { Command } from 'commander';
import { type Client, type ClientOptions, client } from '../client/index.ts';
import type { OperatorEnvironment } from '../contract/operator-environment.ts';
import type { Io } from './io.ts';
import { UsageError } from './refusals.ts';
import { cleanJson } from './text.ts';

export interface GlobalOptions {
  readonly url?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly caller?: string;
  readonly sign?: boolean;
}

export interface Session {
  readonly io: Io;
  readonly client: Client;
  readonly url: string;
  readonly json: boolean;
  readonly yes: boolean;
}

/** A command did what it was asked, and what it was asked about stands badly. */
export type Outcome = 'done' | 'failed';

/** Wraps what a command does into what commander calls with its arguments, its flags and itself. */
export type Run = <A extends readonly unknown[]>(
  command: (session: Session, ...said: A) => Promise<Outcome>,
) => (...said: [...A, Command]) => Promise<void>;

export async function openSession(io: Io, environment: OperatorEnvironment, options: GlobalOptions): Promise<Session> {
  const url = options.url ?? environment.url;
  if (!URL.canParse(url) || !/^https?:\/\/[^/]/.test(url)) {
    throw new UsageError(`--url: write an address such as http://127.0.0.1:3000, not ${url}`);
  }
  const headers = {
    ...(environment.token === null ? {} : { authorization: `Bearer ${environment.token}` }),
    ...(options.caller === undefined ? {} : { 'x-caller-id': options.caller }),
  };
  const signing = (options.sign ?? environment.sign) ? await signerFor(url, environment) : {};
  return {
    io,
    url,
    client: client({ url, headers, ...signing }),
    json: options.json ?? false,
    yes: options.yes ?? false,
  };
}

async function signerFor(url: string, { region }: OperatorEnvironment): Promise<Pick<ClientOptions, 'sign'>> {
  const { regionOf, sigV4 } = await import('./sign.ts');
  return { sign: sigV4(regionOf(url, region)) };
}

/** The document for programs, or what people read. */
export function show({ io, json }: Session, document: unknown, text: () => string): void {
  io.out.write(json ? `${cleanJson(document, 2)}\n` : text());
}
