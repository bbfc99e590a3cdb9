/**
 * npm run release:workflows           adds what is new to the lock file; what is in it is never changed
 * node scripts/workflows.ts --check   fails when a released version has changed, is gone, or a new one is not locked
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkLock, lockOf, type WorkflowLock } from '../lib/definition/lock.ts';
import { examples } from '../lib/workflows/examples.ts';

const FILE = 'lib/workflows/workflows.lock.json';
const path = join(import.meta.dirname, '..', FILE);

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const lock = locked();
const { problems, unreleased } = checkLock(lock, examples.list());
const told = [
  ...problems,
  ...(values.check
    ? unreleased.map(({ type, version }) => `${type} ${version} is not in ${FILE}: run npm run release:workflows`)
    : []),
];
if (told.length > 0) {
  console.error(told.join('\n'));
  process.exitCode = 1;
} else if (!values.check) {
  writeFileSync(path, `${JSON.stringify(merged(lock), null, 2)}\n`);
}

function merged(before: WorkflowLock): WorkflowLock {
  const added = lockOf(unreleased);
  const types = [...new Set([...Object.keys(before), ...Object.keys(added)])].sort();
  return Object.fromEntries(types.map((type) => [type, { ...before[type], ...added[type] }]));
}

function locked(): WorkflowLock {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as WorkflowLock;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
