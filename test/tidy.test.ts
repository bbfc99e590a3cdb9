/**
 * Holds the house in order: what the pure layers may not touch, how long things may be, what files must say and must not.
 * Every rule is proved on snippets that break it, so none can go blind; every message says what to do instead.
 * Who may import whom, and dead files, are held by test/imports.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CODE = /\.[cm]?[jt]sx?$/;
const MAX_FILE_LINES = 300;
const MAX_TEST_LINES = 400;
const MAX_FUNCTION_LINES = 70;

// --- reading source --------------------------------------------------------------------------------------------------

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Called for each node with its parent and the parent's key for it. */
type Visit = (node: Node, parent: Node | null, key: string) => void;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

function walk(node: Node, visit: Visit, parent: Node | null = null, key = ''): void {
  visit(node, parent, key);
  for (const [childKey, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, node, childKey);
    }
  }
}

class Source {
  readonly path: string;
  readonly text: string;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  visit(visit: Visit): void {
    const { program, errors } = parseSync(this.path, this.text, { sourceType: 'module' });
    if (errors[0]) throw new Error(`${this.path} does not parse: ${errors[0].message}`);
    walk(program as unknown as Node, visit);
  }

  line(offset: number): number {
    return this.text.slice(0, offset).split('\n').length;
  }

  get lines(): number {
    return this.text.replace(/\n$/, '').split('\n').length;
  }
}

/** `a.b` or `a['b']` as "a.b"; undefined for anything longer or computed. */
function dotted(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || !isNode(node.object) || !isNode(node.property)) return undefined;
  const owner = node.object.name;
  const member = node.computed === true ? node.property.value : node.property.name;
  return typeof owner === 'string' && typeof member === 'string' ? `${owner}.${member}` : undefined;
}

/** A name that is looked up, as opposed to the name of a property or of an import at its origin. */
const isLookedUp = (parent: Node | null, key: string): boolean =>
  !(['property', 'key', 'imported', 'exported'].includes(key) && parent?.computed !== true);

const isFunction = (node: Node): boolean =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);

// --- the rules -------------------------------------------------------------------------------------------------------

interface Rule {
  readonly name: string;
  readonly covers: RegExp;
  /** A path it must look at, where its snippets stand; and one it must not. */
  readonly at: string;
  readonly notAt?: string;
  /** Each finding: where it is, what is wrong, what to do instead. */
  readonly find: (source: Source) => string[];
  /** Snippets that prove the rule: ones it must catch, and ones it must leave alone. */
  readonly caught: readonly string[];
  readonly fine: readonly string[];
}

/** Builds `find` from a look at one node that answers a complaint or nothing. */
const eachNode =
  (complain: (node: Node, parent: Node | null, key: string, source: Source) => string | undefined) =>
  (source: Source): string[] => {
    const findings: string[] = [];
    source.visit((node, parent, key) => {
      const complaint = complain(node, parent, key, source);
      if (complaint !== undefined) findings.push(`${source.path}:${source.line(node.start)} ${complaint}`);
    });
    return [...new Set(findings)];
  };

const HIDDEN_TIME = ['Date.now', 'AbortSignal.timeout'];
const HIDDEN_CHANCE = ['Math.random'];
const RANDOM = ['randomUUID', 'randomBytes', 'randomInt', 'randomFillSync', 'getRandomValues', 'webcrypto'];
const AMBIENT = [
  'process',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
  'fetch',
  'globalThis',
  'console',
];

function ambient(node: Node, parent: Node | null, key: string): string | undefined {
  const member = dotted(node) ?? '';
  const name = String(node.name);
  const ofDate = isNode(node.callee) && node.callee.name === 'Date';
  const isNow = ofDate && (node.type === 'CallExpression' || (node.arguments as unknown[]).length === 0);
  if (isNow || HIDDEN_TIME.includes(member)) return 'reads the clock: take the time from the event or the Clock port.';
  if (HIDDEN_CHANCE.includes(member))
    return 'draws chance: take it from the event or the Ids port, so that a seed replays it.';
  if (node.type !== 'Identifier') return undefined;
  if (RANDOM.includes(name)) return `${name} draws chance: take it from the event or the Ids port.`;
  if (AMBIENT.includes(name) && isLookedUp(parent, key)) {
    return `${name} reaches outside: go through a port (or rename it if it is a variable of your own).`;
  }
  return undefined;
}

const noAmbient: Rule = {
  name: 'core and operations touch neither clock, chance, timers, environment nor network',
  covers: /^lib\/(core|operations)\//,
  at: 'lib/operations/a.ts',
  notAt: 'lib/local/a.ts',
  find: eachNode(ambient),
  caught: [
    'const t = Date.now();',
    "const t = Date['now']();",
    'const t = new Date();',
    'const t = Date();',
    'const s = AbortSignal.timeout(1);',
    'const r = Math.random();',
    "import { randomUUID } from 'node:crypto';",
    "import { randomUUID as id } from 'node:crypto';",
    'const id = crypto.randomUUID();',
    'const p = process.pid;',
    'setTimeout(() => {}, 1);',
    'setInterval(() => {}, 1);',
    'setImmediate(() => {});',
    'const t = performance.now();',
    "const r = fetch('x');",
    'const g = globalThis;',
    "console.log('x');",
  ],
  fine: [
    'const d = new Date(5).toISOString();',
    'const t = clock.now();',
    '// Date.now() and Math.random() are named here only\nconst a = "process";',
    'const r = ports.fetch(1); const o = { process: 1 };',
  ],
};

const noAsync: Rule = {
  name: 'core never waits',
  covers: /^lib\/core\//,
  at: 'lib/core/a.ts',
  notAt: 'lib/operations/a.ts',
  find: eachNode((node) =>
    node.async === true || node.await === true || node.type === 'AwaitExpression'
      ? 'waits: core is plain computation. Do the waiting in operations and pass the result in.'
      : undefined,
  ),
  caught: [
    'async function f() {}',
    'const f = async () => 1;',
    'class A { async m() {} }',
    'await x;',
    'for await (const x of y) {}',
  ],
  fine: ['const wait = { async: 1 }; // await'],
};

const environmentAtOnePlace: Rule = {
  name: 'the environment is read in contract/*environment.ts only',
  covers: /^(lib|lambdas)\/(?!contract\/([a-z]+-)?environment\.ts$)/,
  at: 'lib/contract/a.ts',
  notAt: 'lib/contract/environment.ts',
  find: eachNode((node) => {
    const reads = dotted(node) === 'process.env';
    const unpacks = isNode(node.init) && node.init.name === 'process';
    const imports = isNode(node.source) && /^(node:)?process$/.test(String(node.source.value));
    return reads || unpacks || imports
      ? 'reaches the environment: add the variable to one of lib/contract/*environment.ts and take the parsed value as an argument.'
      : undefined;
  }),
  caught: [
    'const a = process.env.PORT;',
    "const a = process['env'];",
    'const { env } = process;',
    "import { env } from 'node:process';",
    "import process from 'process';",
  ],
  fine: ["process.on('SIGTERM', stop); const a = settings.env;"],
};

const realPaths: Rule = {
  name: 'relative imports name the file as it is',
  covers: /^(lib|lambdas|test|scripts)\//,
  at: 'test/a.ts',
  find: eachNode((node) => {
    const specifier = isNode(node.source) ? String(node.source.value) : '';
    return /^\.{1,2}(\/|$)/.test(specifier) && !/\.(ts|tsx|json|css)$/.test(specifier)
      ? `imports "${specifier}": write the extension of the source, .ts, since Node runs it as it is.`
      : undefined;
  }),
  caught: ["import { a } from './a.js';", "export type { A } from '../a';", "const a = import('.');"],
  fine: ["import { a } from './a.ts';", "import { z } from 'zod';"],
};

const shortFunctions: Rule = {
  name: `functions are at most ${MAX_FUNCTION_LINES} lines`,
  covers: /^lib\//,
  at: 'lib/a.ts',
  notAt: 'test/a.ts',
  find: eachNode((node, _parent, _key, source) => {
    const lines = source.line(node.end) - source.line(node.start) + 1;
    return isFunction(node) && lines > MAX_FUNCTION_LINES
      ? `is a function of ${lines} lines (at most ${MAX_FUNCTION_LINES}, aim at 30): name its parts and split it there.`
      : undefined;
  }),
  caught: [
    `function f() {${'\n'.repeat(MAX_FUNCTION_LINES)}}`,
    `const f = () => {${'\n'.repeat(MAX_FUNCTION_LINES)}};`,
    `class A { m() {${'\n'.repeat(MAX_FUNCTION_LINES)}} }`,
  ],
  fine: [`function f() {${'\n'.repeat(MAX_FUNCTION_LINES - 1)}}`],
};

const fileLength = (limit: number) => (source: Source) =>
  source.lines > limit
    ? [`${source.path} has ${source.lines} lines (at most ${limit}): move one of its subjects to a file of its own.`]
    : [];

const shortFiles: Rule = {
  name: `product files are at most ${MAX_FILE_LINES} lines`,
  covers: /^(lib|lambdas)\//,
  at: 'lambdas/a.ts',
  notAt: 'test/a.ts',
  find: fileLength(MAX_FILE_LINES),
  caught: ['//\n'.repeat(MAX_FILE_LINES + 1)],
  fine: ['//\n'.repeat(MAX_FILE_LINES)],
};

const shortTests: Rule = {
  name: `test files are at most ${MAX_TEST_LINES} lines`,
  covers: /^test\//,
  at: 'test/a.ts',
  notAt: 'lib/a.ts',
  find: fileLength(MAX_TEST_LINES),
  caught: ['//\n'.repeat(MAX_TEST_LINES + 1)],
  fine: ['//\n'.repeat(MAX_TEST_LINES)],
};

const headers: Rule = {
  name: 'every file of lib opens with a comment',
  covers: /^lib\//,
  at: 'lib/a.ts',
  notAt: 'test/a.ts',
  find: (source) =>
    /^(#!.*\n)?(\/\*\*|\/\/)/.test(source.text)
      ? []
      : [`${source.path}:1 has no header: open with a comment that says what the file is for and why it exists.`],
  caught: ["import { a } from './a.ts';\n/** late */", ''],
  fine: ['/** What it is for. */\n', '// What it is for.\n', '#!/usr/bin/env node\n/** What it is for. */\n'],
};

// In two halves, or this file would be its own finding.
const WORKPLACE = [
  ['/wo', 'rk/'],
  ['.lib', 'rary'],
  ['sub', 'agent'],
].map((halves) => halves.join(''));

const noWorkplace: Rule = {
  name: 'nothing speaks of the place where it was written',
  covers: /^/,
  at: 'package.json',
  find: (source) =>
    source.text.split('\n').flatMap((text, index) => {
      const word = WORKPLACE.find((candidate) => text.toLowerCase().includes(candidate));
      return word
        ? [`${source.path}:${index + 1} says "${word}": write it for a reader who has this repository only.`]
        : [];
    }),
  caught: WORKPLACE.map((word) => `a\nsee ${word}x`),
  fine: ['work, library, agent'],
};

const CODE_RULES = [
  noAmbient,
  noAsync,
  environmentAtOnePlace,
  realPaths,
  shortFunctions,
  shortFiles,
  shortTests,
  headers,
];

// --- the repository --------------------------------------------------------------------------------------------------

/** What is committed or about to be. */
const files: readonly string[] = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)));

const read = (path: string): Source => new Source(path, readFileSync(join(ROOT, path), 'utf8'));
const sources = files.filter((path) => CODE.test(path)).map(read);
const texts = files.map(read).filter((source) => !source.text.includes('\0'));

/** Long snippets get a short name. */
const named = (snippets: readonly string[]) => snippets.map((snippet) => [snippet.slice(0, 60), snippet] as const);

describe.each([...CODE_RULES.map((rule) => ({ ...rule, all: sources })), { ...noWorkplace, all: texts }])(
  '$name',
  ({ covers, at, notAt, find, caught, fine, all }) => {
    it('holds', () => {
      expect(all.filter((source) => covers.test(source.path)).flatMap(find)).toEqual([]);
    });
    it('looks where it should', () => {
      expect([covers.test(at), notAt !== undefined && covers.test(notAt)]).toEqual([true, false]);
    });
    it.each(named(caught))('catches %j', (_name, snippet) => {
      expect(find(new Source(at, snippet))).not.toEqual([]);
    });
    it.each(named(fine))('leaves %j alone', (_name, snippet) => {
      expect(find(new Source(at, snippet))).toEqual([]);
    });
  },
);
