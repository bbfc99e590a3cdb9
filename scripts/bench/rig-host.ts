/**
 * The measured process of the comparison: embedded mode on an empty file, durable after every step, its participants the
 * rig's own functions, which count what they do. Started by `rig-adapter.ts` for one kind of work.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failure } from '../../lib/core/answers.ts';
import type { Call } from '../../lib/core/events.ts';
import type { Json } from '../../lib/core/json.ts';
import { NO_POLICIES, type PolicySettings } from '../../lib/core/policy-settings.ts';
import { startRuntime } from '../../lib/local/runtime.ts';
import type { Participants } from '../../lib/ports.ts';

type Effect = (key: string, work: string) => Promise<{ readonly id?: string }>;

interface Rig {
  readonly effects: Readonly<Record<string, Effect>>;
  readonly counts: Readonly<Record<string, number>>;
}

const [, , directory, rig, work] = process.argv;
if (directory === undefined || rig === undefined || work === undefined) {
  throw new Error('usage: rig-host.ts DIRECTORY RIG W1|W2|W3|W4|W5');
}
const { effects, counts } = (await import(pathToFileURL(join(rig, 'hosts/effects.mjs')).href)) as Rig;

/** Each topic of the example `signup`, and the rig's function that does it. */
const EFFECTS: Readonly<Record<string, readonly [name: string, output: string]>> = {
  'tenant:create': ['createTenant', 'tenant_id'],
  'billing:setup': ['createIdpCompany', 'account_id'],
  'user:create': ['createUser', 'user_id'],
  'tenant:delete': ['deleteTenant', 'deleted'],
  'billing:teardown': ['deleteIdpCompany', 'deleted'],
};

/** The children of `quotes`, which in the rig only count themselves; picking one of what they answer is no effect. */
async function quoted({ topic, body }: Call, jobId: string): Promise<Json> {
  const { vendor = '', quotes = [] } = body as { readonly vendor?: string; readonly quotes?: readonly Json[] };
  if (topic === 'quote:select') return { best: quotes[0] ?? null };
  await effects.child?.(jobId, vendor);
  return { vendor, price: Number(vendor) };
}

const participants: Participants = {
  call: async ({ call, jobId }) => {
    if (work === 'W4') return { kind: 'success', output: await quoted(call, jobId) };
    const [name, member] = EFFECTS[call.topic] ?? [];
    const effect = name === undefined ? undefined : effects[name];
    if (effect === undefined || member === undefined) return failure('ORCH_UNROUTED_TOPIC', call.topic, false);
    try {
      // One job a key, so the job's id tells keys apart as well as the key would.
      const { id = true } = await effect(jobId, work);
      return { kind: 'success', output: { [member]: id } as Json };
    } catch (error) {
      const { name: kind, message } = error as Error;
      return failure(kind === 'TransientError' ? 'EXT_UNAVAILABLE' : 'DQ_REFUSED', message, false);
    }
  },
};

/** As the rig has it: up to 10 ms between attempts. */
const backoff = { backoffBaseSeconds: 0.01, maxBackoffSeconds: 0.01 };
const policies: PolicySettings = { ...NO_POLICIES, all: { EXT_: backoff } };

const runtime = await startRuntime({
  port: 0,
  directory,
  participants,
  policies,
  // Work in which two of three calls fail would spend any budget, and be measured waiting.
  tokens: { called: () => {}, penaltyMs: () => 0 },
  log: { write: (level, event) => (level === 'error' ? process.stderr.write(`${event}\n`) : undefined) },
  onFatal: (error) => {
    throw error;
  },
});
process.on('message', () => process.send?.({ ...counts }));
process.on('disconnect', () => process.exit(0));
process.send?.({ port: runtime.port });
