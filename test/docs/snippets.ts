/** Code blocks of the documentation, taken out to be run: what a page promises is tried on the very lines it shows. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const ROOT = join(import.meta.dirname, '../..');

/** The block that opens with ```ts <name>. */
export function snippet(page: string, name: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const found = new RegExp(`^\`\`\`ts ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`${page} has no block \`\`\`ts ${name}`);
  return found;
}

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
}

/** A folder with these files, in which `dacapo/…` leads to this checkout as the package would offer it. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) {
    const code = text.replace(/from 'dacapo(\/[a-z/]+)'/g, (whole, path: string) => {
      const target = manifest.exports[`.${path}`];
      if (target === undefined) throw new Error(`${whole}: package.json exports no such thing`);
      return `from '${join(ROOT, target)}'`;
    });
    writeFileSync(join(folder, name), code);
  }
  return folder;
}

/** What the compiler says of these files under the rules of this repository; nothing when they are right. */
export function typeComplaints(files: Readonly<Record<string, string>>): string {
  const folder = folderOf(files);
  const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] };
  const project = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'], compilerOptions };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout;
}
