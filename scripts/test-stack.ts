/**
 * npm run test:stack [-- --endpoint <url>]
 *
 * Deploys the stacks to an emulator of AWS and tests them there: the acceptance suite through the deployed API, signed, and
 * the ways that only AWS has (test/stack). Without --endpoint it starts MiniStack itself. Ends with one line `N passed, N
 * failed, N skipped`; where the emulator cannot be had it says why, and has failed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import { Api } from '../test/acceptance/support/api.ts';
import { eventually } from '../test/acceptance/support/eventually.ts';
import { administrator, apiAddress, assume, deploy, type Variables } from './test-stack/deployment.ts';
import { settleDifferences } from './test-stack/differences.ts';
import { type Emulator, NoEmulator, startMinistack } from './test-stack/ministack.ts';

const ROOT = join(import.meta.dirname, '..');
/** Kept between runs: installing takes longer than starting. */
const INSTALLATION = join(ROOT, '.dacapo', 'ministack');
const CLOSING = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm;

const WARM_MS_MAX = 180_000;

const { values } = parseArgs({ options: { endpoint: { type: 'string' } } });

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Runs one of our runners and reads its closing line. */
function run(script: string, parameters: readonly string[], variables: Variables): Promise<Tally> {
  const child = spawn(process.execPath, [join(ROOT, script), ...parameters], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    printed += chunk.toString();
  });
  return new Promise((resolve) => {
    child.once('close', () => {
      const last = [...printed.matchAll(CLOSING)].at(-1);
      const [passed = 0, failed = 1, skipped = 0] = last === undefined ? [] : last.slice(1).map((n) => Number(n ?? 0));
      resolve({ passed, failed, skipped });
    });
  });
}

async function testOn(emulator: Emulator | null, endpoint: string, scratch: string): Promise<Tally[]> {
  const admin = administrator(endpoint, emulator?.certificate ?? null);
  const started = Date.now();
  const outputs = deploy(admin, scratch);
  process.stdout.write(`deployed in ${Math.round((Date.now() - started) / 1_000)} s\n\n`);
  const operator = await assume(admin, outputs.OperatorRoleArn ?? '');
  const submitter = await assume(admin, outputs.SubmitterRoleArn ?? '');
  const url = apiAddress(endpoint, outputs.ApiUrl ?? '');
  const signed = { ...admin, ...operator, DACAPO_SIGV4: '1' };
  await settleDifferences(endpoint);
  Object.assign(process.env, signed);
  await warmUp(new Api(url));
  return [
    await run('scripts/acceptance.ts', ['--url', url, '--gently'], signed),
    await run('scripts/test-stack/main.ts', [], {
      ...admin,
      DACAPO_STACK: JSON.stringify({ url, outputs, operator, submitter }),
    }),
  ];
}

/** One job of each kind: on a busy machine the first process of every function together takes longer than a caller waits. */
async function warmUp(api: Api): Promise<void> {
  const email = 'ada@example.com';
  const order = { order_id: 'warm', sku: 'a', quantity: 1, amount: 1, address: 'b' };
  const inputs = { signup: { company: 'warm', email, plan: 'free' }, order, research: { question: 'warm?' } };
  for (const [type, input] of Object.entries(inputs)) {
    const send = () => api.submit(type, input, { key: `warm-${type}`, wait: 25 });
    await eventually(`${type} completes`, async () => ((await send()).status === 201 ? true : undefined), WARM_MS_MAX);
  }
}

async function main(): Promise<Tally[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'dacapo-stack-'));
  let emulator: Emulator | null = null;
  try {
    emulator = values.endpoint === undefined ? await startMinistack(INSTALLATION, scratch) : null;
    if (emulator !== null) trust(emulator.certificate);
    return await testOn(emulator, values.endpoint ?? emulator?.endpoint ?? '', scratch);
  } catch (error) {
    process.stderr.write(`${told(error)}\n`);
    return [{ passed: 0, failed: 1, skipped: 0 }];
  } finally {
    await emulator?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** For this process; its children are told by a variable that Node reads when it starts. */
function trust(certificate: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(certificate, 'utf8')]);
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof NoEmulator) return error.message;
  const stderr = 'stderr' in error ? String(error.stderr) : (error.stack ?? '');
  return `test:stack failed: ${error.message.slice(0, 500)}\n${stderr.slice(-8_000)}`;
}

const tallies = await main();
const sum = (name: keyof Tally): number => tallies.reduce((total, tally) => total + tally[name], 0);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
