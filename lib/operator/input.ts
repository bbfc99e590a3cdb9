/** Documents and numbers as they are typed: JSON on the line, in a file (`@file`), or on standard input (`@-`). */
import { InvalidArgumentError } from 'commander';
import type { Json } from '../contract/json.ts';
import type { Io } from './io.ts';
import { UsageError } from './refusals.ts';

export async function readJson(io: Io, what: string, said: string): Promise<Json> {
  const text = said.startsWith('@') ? await readFile(io, what, said.slice(1)) : said;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const where = said.startsWith('@') ? `in ${said.slice(1)}` : 'on the command line';
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${what}: what stands ${where} is no JSON (${why}). Write '{"a": 1}', or @file`);
  }
}

async function readFile(io: Io, what: string, path: string): Promise<string> {
  try {
    return await io.read(path);
  } catch (error) {
    throw new UsageError(`${what}: ${path} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

export const count = wholeFrom(1);

export function wholeFrom(least: number): (said: string) => number {
  return (said) => {
    const value = Number(said);
    if (!/^\d{1,7}$/.test(said) || value < least) throw new InvalidArgumentError(`Write a whole number from ${least}.`);
    return value;
  };
}
