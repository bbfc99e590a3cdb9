/**
 * One Lambda's code as one minified ESM file: own code, the SDK's clients and nothing unused. A team's definitions take
 * the place of the examples here, by the one name under which the Lambdas import them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildResult, buildSync } from 'esbuild';

const LAMBDAS = resolve(import.meta.dirname, '../../lambdas');
/** The examples, until a team brings its own. */
export const EXAMPLE_DEFINITIONS = join(LAMBDAS, 'definitions.ts');

/** Dependencies that are still CommonJS look for `require`, which a module does not have. */
const REQUIRE = "import{createRequire as r}from'node:module';const require=r(import.meta.url);";

export const entryOf = (name: string): string => join(LAMBDAS, `${name}.ts`);

/** @param definitions path of a module that exports `definitions`, a registry */
export function build(entry: string, definitions: string, directory: string): BuildResult<{ metafile: true }> {
  return buildSync({
    entryPoints: [entry],
    outdir: directory,
    entryNames: 'index',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    // What is imported on demand lies beside: loaded when it is needed, if ever.
    splitting: true,
    alias: {
      '#definitions': resolve(definitions),
      '@aws-sdk/credential-provider-node': join(LAMBDAS, 'parts/credentials.ts'),
      '@aws-sdk/middleware-endpoint-discovery': join(LAMBDAS, 'parts/no-endpoint-discovery.ts'),
    },
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
}

/** Everything bundled by this process, removed at its end: synthesis has copied what it needs by then. */
let root: string | null = null;
const directories = new Map<string, string>();

/** Each bundle is made once a process, however many stacks and tests ask for it. */
export function bundled(entry: string, definitions: string): Code {
  const key = `${entry}\n${definitions}`;
  const known = directories.get(key);
  if (known !== undefined) return Code.fromAsset(known);
  const directory = join(rootDirectory(), String(directories.size));
  build(entry, definitions, directory);
  directories.set(key, directory);
  return Code.fromAsset(directory);
}

function rootDirectory(): string {
  if (root !== null) return root;
  const made = mkdtempSync(join(tmpdir(), 'dacapo-bundles-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  root = made;
  return made;
}
