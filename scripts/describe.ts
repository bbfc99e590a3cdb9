/**
 * npm run docs:reference           writes docs/reference.md
 * node scripts/describe.ts --check  fails when the committed file is not what the code says now
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { graphOf, markdown, rules, saga } from '../lib/contract/describe/index.ts';
import { examples } from '../lib/workflows/examples.ts';

const FILE = 'docs/reference.md';
const path = join(import.meta.dirname, '..', FILE);

const HEAD = `# Reference

Made from the code by \`scripts/describe.ts\`: change the tables in \`lib/core\`, then run \`npm run docs:reference\`. The same
in a terminal, and for your own definitions: \`npx dacapo describe\`.`;

const parts = rules();
const contents = [...parts.map(({ title }) => title), 'The example workflows'].map(
  (title) =>
    `- [${title}](#${title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-')})`,
);
const sagas = examples.list().map((plan) => saga(graphOf(plan)));
const legend =
  'An arrow is the way forward, a dotted one leads to what undoes a step, and on along the way back. What only reads is drawn slanted, what cannot be undone has a double frame.';
const said = [HEAD, contents.join('\n'), markdown(parts), '## The example workflows', legend, markdown(sagas, 3)].join(
  '\n\n',
);
const made = `${said}\n`;

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
if (!values.check) {
  writeFileSync(path, made);
} else if (committed() !== made) {
  console.error(`${FILE} is not what the code says: run npm run docs:reference and commit it`);
  process.exitCode = 1;
}

function committed(): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
