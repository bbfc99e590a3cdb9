/**
 * npm run docs:transcripts            runs every command that docs/cli.md shows and writes what it prints under it
 * node scripts/transcripts.ts --check  fails when the page shows something else than the command line prints
 *
 * A command is a line in a ```console block that begins with `$ `. They run one after the other against one embedded
 * server. Ids follow from the keys that the page gives; times and traces are masked, so the same page comes out again.
 * `<!-- fault {...} -->` before a block injects that fault first.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const FILE = 'docs/cli.md';

/** What differs from run to run, and what stands for it: of the same width, so that tables stay straight. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-31T08:00:00.000Z'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, '2026-01-31 08:00:00Z'],
  [/\b\d\d:\d\d:\d\d\.\d{3}/g, '08:00:00.000'],
  [/00-[0-9a-f]{32}-[0-9a-f]{16}-01/g, '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
];

const BLOCK = /(?:<!-- fault (?<fault>\{.*\}) -->\n)?```console\n(?<body>[\s\S]*?)```/g;

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const page = readFileSync(join(ROOT, FILE), 'utf8');
const server = spawn(process.execPath, ['lib/local/main.ts'], {
  cwd: ROOT,
  env: { ...process.env, PORT: '0', DACAPO_EPHEMERAL: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const made = await rewritten(page, await addressOf(server));
  if (!values.check) writeFileSync(join(ROOT, FILE), made);
  else if (made !== page) fail(page, made);
} finally {
  server.kill();
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the server has no output to read its address from');
  const [line] = (await once(createInterface(stdout), 'line')) as [string];
  const url = /http:\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`the server did not say where it listens: ${line}`);
  return url;
}

async function rewritten(text: string, url: string): Promise<string> {
  let made = '';
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    const { fault, body = '' } = match.groups ?? {};
    if (fault !== undefined) await inject(url, fault);
    const shown: string[] = [];
    for (const command of commandsIn(body)) shown.push(`$ ${command}\n${masked(await output(command, url))}`);
    const comment = fault === undefined ? '' : `<!-- fault ${fault} -->\n`;
    made += `${text.slice(end, match.index)}${comment}\`\`\`console\n${shown.join('')}\`\`\``;
    end = match.index + match[0].length;
  }
  return made + text.slice(end);
}

/** A command goes on over lines that end in a backslash. */
function commandsIn(body: string): string[] {
  return [...body.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command);
}

async function inject(url: string, fault: string): Promise<void> {
  const { status } = await fetch(`${url}/local/faults`, { method: 'POST', body: fault });
  if (status !== 201) throw new Error(`the fault was not taken: ${fault}`);
}

function output(command: string, url: string): Promise<string> {
  const script = `dacapo() { "$NODE" lib/operator/main.ts "$@"; }\n${command}`;
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
  const all = { ...env, NODE: process.execPath, DACAPO_URL: url };
  return new Promise((resolve) => {
    execFile('bash', ['-c', `exec 2>&1\n${script}`], { cwd: ROOT, env: all }, (_error, out) => resolve(out));
  });
}

function masked(text: string): string {
  return MASKS.reduce((said, [pattern, instead]) => said.replace(pattern, instead), text);
}

function fail(before: string, after: string): void {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const at = old.findIndex((line, index) => line !== now[index]);
  console.error(`${FILE}:${at + 1} is not what is printed: run npm run docs:transcripts and look at the difference`);
  console.error(`- ${old[at]}\n+ ${now[at]}`);
  process.exitCode = 1;
}
