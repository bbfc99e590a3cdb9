/**
 * The measured process: embedded mode on an empty file, its participants replaced by ones that do nothing, so that
 * what is measured is the orchestrator; or that take their time, where waiting is what is measured. Tells its CPU time
 * to the driver when asked.
 */
import { failure } from '../../lib/core/answers.ts';
import type { Json } from '../../lib/core/json.ts';
import { startRuntime } from '../../lib/local/runtime.ts';
import type { Participants } from '../../lib/ports.ts';

/** Who comes in thousands, and how many of them are through but for the last write. */
const CROWD = 'crowd@acme.example';
let done = 0;

/** What each call takes. */
const delayMs = Number(process.argv[3] ?? 0);

const OUTPUTS: Readonly<Record<string, Json>> = {
  'tenant:create': { tenant_id: 't' },
  'billing:setup': { account_id: 'a' },
  'user:create': { user_id: 'u' },
  'research:mine': { findings: ['f'] },
  'research:audit': { accepted: ['f'], rejected: [] },
  'research:plan': { plan: ['p'] },
};

/** An address without @ makes the last step fail for good, which starts the rollback. */
const participants: Participants = {
  call: async ({ call }) => {
    const body = call.body as { readonly email?: string; readonly company?: string };
    const hangs = call.topic === 'tenant:create' && body.company === 'hung';
    if (delayMs > 0 || hangs) await new Promise((resolve) => setTimeout(resolve, hangs ? call.timeoutMs : delayMs));
    if (hangs) return failure('EXT_TIMEOUT', 'no answer', true);
    if (call.topic === 'user:create' && body.email?.includes('@') !== true) {
      return failure('CONTRACT_VALIDATION_ERROR', 'no address', false);
    }
    if (call.topic === 'user:create' && body.email === CROWD) done += 1;
    return { kind: 'success', output: OUTPUTS[call.topic] ?? null };
  },
};

const directory = process.argv[2];
if (directory === undefined) throw new Error('usage: host.ts DIRECTORY');
const runtime = await startRuntime({
  port: 0,
  directory,
  participants,
  log: { write: (level, event) => (level === 'error' ? process.stderr.write(`${event}\n`) : undefined) },
  onFatal: (error) => {
    throw error;
  },
});
process.on('message', (message) => {
  if (message === 'cpu') process.send?.(process.cpuUsage());
  if (message === 'done') process.send?.({ done });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: runtime.port });
