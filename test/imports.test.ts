/**
 * Holds the table in .dependency-cruiser.cjs: who may import whom, no cycles, no dead files.
 * A small tree that breaks every rule once, mostly by `import type`, proves that each of them sees.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const options = await extractOptions(join(ROOT, '.dependency-cruiser.cjs'));
const rules = new Map(options.ruleSet?.forbidden?.map((rule) => [rule.name ?? '', rule.comment ?? '']));

interface Violation {
  readonly file: string;
  readonly rule: string;
  readonly message: string;
}

async function violations(baseDir: string): Promise<Violation[]> {
  const { output } = await cruise(['.'], { ...options, baseDir });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => ({
    file: from,
    rule: rule.name,
    message: `${from === to ? from : `${from} → ${to}`} (${rule.name}): ${rules.get(rule.name)}`,
  }));
}

/** What every layer offers to be imported in the sample tree. */
const TARGETS = [
  ...[
    'core',
    'definition',
    'operations',
    'contract',
    'http',
    'workflows',
    'participants',
    'worker',
    'client',
    'testing',
  ],
  ...['adapters/aws', 'adapters/sqlite', 'adapters/memory', 'local', 'infra', 'console', 'operator'],
].map((layer) => `lib/${layer}/x.ts`);

/** For every rule an import it must refuse: file, text, rule. */
const REFUSED: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['lib/core/bad-type.ts', "import type { X } from '../definition/x.ts';", 'core-imports'],
  ['lib/core/bad-inline-type.ts', "import { type X } from '../contract/x.ts';", 'core-imports'],
  ['lib/core/bad-type-of-import.ts', "export type Y = import('../contract/x.ts').X;", 'core-imports'],
  ['lib/core/bad-reexport.ts', "export type { X } from '../contract/x.ts';", 'core-imports'],
  ['lib/core/bad-dynamic.ts', "export const x = () => import('../contract/x.ts');", 'core-imports'],
  ['lib/core/bad-builtin.ts', "import 'node:fs';", 'core-imports'],
  ['lib/definition/bad.ts', "import type { X } from '../operations/x.ts';", 'definition-imports'],
  ['lib/ports.ts', "import type { X } from './operations/x.ts';\nimport { x } from './core/x.ts';", 'ports-imports'],
  [
    'lib/ports.ts',
    "import type { X } from './operations/x.ts';\nimport { x } from './core/x.ts';",
    'ports-hold-no-code',
  ],
  ['lib/operations/bad.ts', "import type { X } from '../contract/x.ts';", 'operations-imports'],
  ['lib/operations/bad-builtin.ts', "import { randomUUID } from 'node:crypto';", 'operations-imports'],
  ['lib/contract/bad-builtin.ts', "import 'node:fs';", 'contract-imports'],
  ['lib/contract/bad.ts', "import type { Ports } from '../ports.ts';", 'contract-imports'],
  ['lib/adapters/aws/bad.ts', "import type { X } from '../../operations/x.ts';", 'adapter-aws-imports'],
  ['lib/adapters/sqlite/bad.ts', "import type { X } from '../memory/x.ts';", 'adapter-sqlite-imports'],
  ['lib/adapters/memory/bad.ts', "import type { X } from '../sqlite/x.ts';", 'adapter-memory-imports'],
  ['lib/adapters/crashable.ts', "import type { X } from './memory/x.ts';", 'crashable-imports'],
  ['lib/adapters/hmac-signer.ts', "import type { X } from './sqlite/x.ts';", 'hmac-signer-imports'],
  ['lib/adapters/job-changes.ts', "import type { X } from './sqlite/x.ts';", 'job-changes-imports'],
  ['lib/adapters/random-ids.ts', "import type { X } from './sqlite/x.ts';", 'random-ids-imports'],
  ['lib/http/bad.ts', "import type { X } from '../adapters/sqlite/x.ts';", 'http-imports'],
  ['lib/workflows/bad.ts', "import type { X } from '../core/x.ts';", 'workflows-imports'],
  ['lib/worker/bad.ts', "import type { X } from '../core/x.ts';", 'worker-imports'],
  ['lib/outbound/bad.ts', "import type { Ports } from '../ports.ts';", 'outbound-imports'],
  ['lib/participants/bad.ts', "import type { X } from '../workflows/x.ts';", 'participants-imports'],
  ['lib/local/bad.ts', "import type { X } from '../adapters/memory/x.ts';", 'local-imports'],
  ['lambdas/bad.ts', "import type { X } from '../lib/adapters/sqlite/x.ts';", 'lambdas-imports'],
  ['lib/client/bad.ts', "import type { X } from '../operations/x.ts';", 'client-imports'],
  ['lib/client/bad-code.ts', "import { x } from '../definition/x.ts';", 'client-carries-no-server-code'],
  ['lib/testing/bad.ts', "import type { X } from '../adapters/aws/x.ts';", 'testing-imports'],
  ['lib/operator/bad.ts', "import type { X } from '../operations/x.ts';", 'operator-imports'],
  ['lib/console/bad.ts', "import type { X } from '../core/x.ts';", 'console-imports'],
  ['lib/infra/bad.ts', "import type { X } from '../core/x.ts';", 'infra-imports'],
  ['lib/elsewhere/bad.ts', "import 'node:fs';", 'layer-has-a-row'],
  ['lib/http/bad-store.ts', "import 'node:sqlite';", 'sqlite-stays-embedded'],
  ['lib/worker/bad-sdk.ts', "import '@aws-sdk/client-dynamodb';", 'worker-kit-runs-anywhere'],
  ['lib/http/bad-shape.ts', "import type { ZodType } from 'zod';", 'zod-at-the-edge'],
  ['lib/core/bad-cron.ts', "import { Cron } from 'croner';", 'cron-in-the-calendar'],
  ['lib/http/bad-dev.ts', "import 'vitest';", 'product-needs-no-dev-package'],
  ['lib/core/cycle-a.ts', "import type { B } from './cycle-b.ts';\nexport type A = B;", 'no-cycle'],
  ['lib/core/dead.ts', 'export const x = 1;', 'no-dead-file'],
  ['lib/core/bad-path.ts', "import './nowhere.ts';", 'no-unresolvable'],
  ['scripts/bad.ts', "import 'nanoid';", 'declared-packages-only'],
];

/** Imports the table allows and that a rule drawn too wide would refuse. */
const ALLOWED: readonly (readonly [file: string, text: string])[] = [
  ['lib/core/good.ts', "import { createHash } from 'node:crypto';\nimport { x } from './x.ts';"],
  ['lib/definition/good.ts', "import { z } from 'zod';\nimport { x } from '../core/x.ts';"],
  ['lib/operations/good.ts', "import type { Ports } from '../ports.ts';\nimport { x } from '../definition/x.ts';"],
  ['lib/adapters/sqlite/good.ts', "import { DatabaseSync } from 'node:sqlite';\nimport { x } from '../../core/x.ts';"],
  ['lib/worker/sqlite-store.ts', "import { DatabaseSync } from 'node:sqlite';"],
  ['lib/local/good.ts', "import { serve } from '@hono/node-server';\nimport { x } from '../adapters/sqlite/x.ts';"],
  ['lib/local/good-crash.ts', "import '../adapters/crashable.ts';\nimport 'node:sqlite';"],
  ['lib/http/good.ts', "import { Hono } from 'hono';\nimport { x } from '../operations/x.ts';"],
  [
    'lib/client/good.ts',
    "import type { X } from '../definition/x.ts';\nimport type { X as Y } from '../contract/x.ts';",
  ],
  ['lib/participants/good.ts', "import { z } from 'zod';\nimport { x } from '../worker/x.ts';"],
  ['lib/infra/good.ts', "import { x } from '../core/limits.ts';\nimport { y } from '../contract/environment.ts';"],
  ['lib/core/cycle-b.ts', "import type { A } from './cycle-a.ts';\nexport type B = A;"], // reported at its first file
  ['lib/core/limits.ts', 'export const x = 1;'],
  ['lib/contract/environment.ts', 'export const y = 1;'],
  ['test/good.ts', "import { expect } from 'vitest';\nimport { x } from '../lib/adapters/memory/x.ts';"],
];

describe('the import table', () => {
  it('holds', { timeout: 120_000 }, async () => {
    expect((await violations(ROOT)).map(({ message }) => message)).toEqual([]);
  });
});

describe('the rules of the import table', () => {
  const tree = mkdtempSync(join(tmpdir(), 'dacapo-imports-'));
  let found: Violation[] = [];

  beforeAll(async () => {
    const alive = [...REFUSED, ...ALLOWED].filter(([file]) => file !== 'lib/core/dead.ts');
    const files = new Map<string, string>([
      ...TARGETS.map((file) => [file, 'export const x = 1;\nexport type X = 1;'] as const),
      ...[...REFUSED, ...ALLOWED].map(([file, text]) => [file, text] as const),
      // Keeps every sample reachable except the one that has to be found dead.
      ['scripts/all.ts', [...TARGETS, ...alive.map(([file]) => file)].map((file) => `import '../${file}';`).join('\n')],
      [
        'package.json',
        '{"dependencies":{"hono":"4","@hono/node-server":"2","zod":"4"},"devDependencies":{"vitest":"5"}}',
      ],
    ]);
    for (const [file, text] of files) {
      mkdirSync(join(tree, dirname(file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction');
    found = await violations(tree);
  });
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  it.each(REFUSED)('%s: %j breaks %s', (file, _text, rule) => {
    expect(found.filter((violation) => violation.file === file).map((violation) => violation.rule)).toContain(rule);
  });
  it.each([...ALLOWED, ...TARGETS.map((file) => [file, 'nothing'] as const)])('%s may import %j', (file) => {
    expect(found.filter((violation) => violation.file === file)).toEqual([]);
  });
  it('are all proved by a sample: add one to REFUSED for a new rule', () => {
    expect([...rules.keys()].filter((rule) => !REFUSED.some((sample) => sample[2] === rule))).toEqual([]);
  });
});
