/** A workflow with every kind of wait, and a rig in which its participant promises and its person gets a link. */
import { z } from 'zod';
import type { JobId } from '../../lib/core/ids.ts';
import { approval, registry, signal, sleep, step, when, workflow } from '../../lib/definition/index.ts';
import { house } from './support.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const parcel = workflow('parcel', 1)
  .input(z.strictObject({ to: z.string(), gift: z.boolean() }))
  .deadline('60 d')
  .stage(
    step('pack', {
      topic: 'parcel:pack',
      undo: 'parcel:unpack',
      later: { within: '2 h', heartbeat: '30 min' },
      input: ({ input }) => ({ to: input.to }),
      output: z.object({ weight: z.number() }),
    }),
  )
  .stage(signal('address', { output: z.strictObject({ street: z.string() }), within: '2 d' }))
  .stage(
    approval('release', {
      topic: 'mail:ask',
      input: ({ input, outputs }) => ({ who: input.to, weight: outputs.pack.weight }),
      expires: '7 d',
      remind: '1 d',
    }),
    when(
      ({ input }) => input.gift,
      step('wrap', { topic: 'parcel:wrap', readOnly: true, input: () => ({}), output: z.string() }),
    ),
  )
  .stage(sleep('rest', '3 d'))
  .output(({ outputs }) => ({
    street: outputs.address.street,
    by: outputs.release.by,
    wrapped: outputs.wrap ?? null,
  }));

export const parcels = registry(parcel);

export async function waiting(gift = false) {
  const tokens: Record<string, string[]> = {};
  const rig = house((call, token) => {
    if (token !== null) tokens[call.step] = [...(tokens[call.step] ?? []), token];
    if (call.topic === 'parcel:pack') return { kind: 'accepted' };
    return call.topic === 'parcel:wrap' ? { kind: 'success', output: 'paper' } : undefined;
  }, parcels);
  rig.drives.hold = true;
  const submitted = await rig.ask('/workflows/parcel/jobs', {
    headers: { 'idempotency-key': 'k' },
    body: { to: 'Ada', gift },
  });
  const jobId = String(submitted.body.job_id) as JobId;
  /** A driver comes along, as a hint or a timer would send it. */
  const go = async (ms = 0): Promise<void> => {
    rig.ports.clock.advance(ms);
    for (const kind of ['forward', 'recovery'] as const) {
      let done = false;
      void rig.run(jobId, kind).then(() => {
        done = true;
      });
      await rig.ports.clock.advanceUntil(() => done, 60_000);
    }
  };
  await go();
  const stored = () => rig.ports.jobs.read(jobId);
  const tokenOf = (name: string): string => tokens[name]?.at(-1) ?? '';
  const post = (path: string, body: unknown, headers = {}) => rig.ask(path, { body, headers });
  const callback = (token: string, body: unknown = { status: 'succeeded', output: { weight: 2 } }) =>
    post(`/callbacks/${token}`, body);
  const tell = (body: unknown, headers: Record<string, string> = { 'idempotency-key': 's1' }, name = 'address') =>
    post(`/jobs/${jobId}/signals/${name}`, body, headers);
  const steps = async (): Promise<Record<string, string>> => {
    const { body } = await rig.ask(`/jobs/${jobId}`);
    const shown = body.steps as { step: string; status: string }[];
    return Object.fromEntries(shown.map(({ step: name, status }) => [name, status]));
  };
  return { ...rig, jobId, go, stored, tokens, tokenOf, callback, tell, post, steps };
}
