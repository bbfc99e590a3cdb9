/** The client against embedded mode, with its types from the registry of examples. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { client, type JobOf } from '../../lib/client/index.ts';
import type { examples } from '../../lib/workflows/examples.ts';
import { SIGNUP, start as startRuntime, temporaryDirectory } from '../local/rig.ts';

async function start(caller = 'ada') {
  const runtime = await startRuntime(await temporaryDirectory());
  const url = `http://127.0.0.1:${runtime.port}`;
  const as = (id: string) => client<typeof examples>({ url, headers: { 'x-caller-id': id } });
  return { ...runtime, dacapo: as(caller), as };
}

const collected = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('types', () => {
  it('input and output are those of the definition', async () => {
    const { dacapo } = await start();
    const output = await dacapo.execute('signup', SIGNUP);
    expectTypeOf(output).toEqualTypeOf<{ tenant_id: string; account_id: string; user_id: string }>();
    expect(Object.keys(output).sort()).toEqual(['account_id', 'tenant_id', 'user_id']);
    // @ts-expect-error the input has no plan
    await expect(dacapo.submit('signup', { company: 'Acme', email: 'a@b.c' })).rejects.toThrow();
    // @ts-expect-error there is no such workflow
    await expect(dacapo.submit('signdown', SIGNUP)).rejects.toMatchObject({ code: 'ORCH_UNKNOWN_WORKFLOW' });
  });

  it('a job is told apart by its type', () => {
    const nameOf = (job: JobOf<typeof examples>): string | undefined => {
      if (job.workflow_type === 'order') return job.output?.payment_id;
      if (job.workflow_type === 'quotes') return job.output?.best.vendor;
      if (job.workflow_type === 'research') return job.input?.question;
      if (job.workflow_type === 'onboarding') return job.output?.message_id;
      expectTypeOf(job.workflow_type).toEqualTypeOf<'signup'>();
      return job.output?.tenant_id;
    };
    expectTypeOf(nameOf).returns.toEqualTypeOf<string | undefined>();
  });

  it('without a registry any JSON goes', () => {
    const untyped = client({ url: 'http://api.test' });
    expectTypeOf(untyped.submit<string>)
      .parameter(1)
      .toExtend<unknown>();
    expectTypeOf(untyped.get).returns.resolves.toHaveProperty('job_id');
  });
});

it('submits, repeats, waits, reads and lists', async () => {
  const { dacapo } = await start();
  const first = await dacapo.submit('signup', SIGNUP, { idempotencyKey: 'k', correlationId: 'c1' });
  expect(first).toMatchObject({ replayed: false, idempotencyKey: 'k', job: { caller_id: 'ada' } });
  const done = await dacapo.wait(first.job.job_id);
  expect(done.current_state).toBe('COMPLETED');
  const again = await dacapo.submit('signup', SIGNUP, { idempotencyKey: 'k', waitSeconds: 5 });
  expect([again.replayed, again.job.job_id]).toEqual([true, first.job.job_id]);
  await expect(dacapo.submit('signup', { ...SIGNUP, plan: 'premium' }, { idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
    status: 409,
  });
  const history = await dacapo.history(first.job.job_id);
  expect(history.map(({ to_state }) => to_state)).toEqual(['PENDING', 'VALIDATING', 'PROCESSING', 'COMPLETED']);
  expect((await dacapo.get(first.job.job_id)).support?.summary).toBe('every step succeeded');
  const listed = await collected(dacapo.list({ correlation_id: 'c1', limit: 1 }));
  expect(listed.map(({ job_id }) => job_id)).toEqual([first.job.job_id]);
});

it('a job that ends badly while its caller waits is thrown with its code', async () => {
  const { dacapo } = await start();
  await expect(dacapo.execute('signup', { ...SIGNUP, plan: 'gold' })).rejects.toMatchObject({
    name: 'ProblemError',
    code: 'CONTRACT_VALIDATION_ERROR',
    status: 422,
    jobId: expect.stringMatching(/^j/),
  });
});

it('a restart of the server in the middle costs a wait and no second job', async () => {
  const { dacapo, fault, post, until } = await start();
  await fault({ target: 'user:create', mode: 'hang' });
  const waiting = dacapo.execute('signup', SIGNUP);
  await until('/local/faults', ({ items }) => (items as { fired: number }[])[0]?.fired === 1);
  await post('/local/restart');
  expect((await waiting).user_id).toMatch(/^usr_/);
  expect(await collected(dacapo.list())).toHaveLength(1);
});

it('a batch holds good and bad side by side', async () => {
  const { dacapo } = await start();
  const bad = { company: '', email: 'x', plan: 'free' };
  const [good, refused] = await dacapo.batch('signup', [{ input: SIGNUP }, { input: bad, idempotencyKey: 'b' }]);
  expect(good?.job?.workflow_type).toBe('signup');
  expect(refused).toMatchObject({ status: 422, idempotencyKey: 'b', problem: { code: 'CONTRACT_INPUT_INVALID' } });
});

it('an operator settles what cannot go on, and the audit tells who', async () => {
  const { dacapo, as } = await start();
  const sticky = { company: 'sticky & sons', email: 'ada', plan: 'free' };
  const { job } = await dacapo.submit('signup', sticky);
  const stuck = await dacapo.wait(job.job_id);
  expect(stuck.current_state).toBe('NEEDS_REVIEW');
  const eve = as('eve');
  await expect(eve.close(job.job_id, { reason: 'no' })).rejects.toMatchObject({ status: 409 });
  await eve.resolve(job.job_id, {
    step: 'tenant',
    resolution: 'compensated',
    reason: 'deleted by hand',
    evidence: 'ticket 7',
    expectedRevision: (await eve.get(job.job_id)).revision,
  });
  expect((await eve.wait(job.job_id)).open_effects).toEqual([]);
  const records = await collected(eve.deadLetters.list({ status: 'open' }));
  const record = await eve.deadLetters.get(records[0]?.dead_letter_id ?? '');
  const replay = await eve.deadLetters.replay(record.dead_letter_id, {
    reason: 'mistyped address',
    input: { ...SIGNUP },
  });
  expect((await eve.wait(replay.job_id)).current_state).toBe('COMPLETED');
  await expect(eve.deadLetters.discard(record.dead_letter_id, { reason: 'late' })).rejects.toMatchObject({
    status: 409,
  });
  const audited = await collected(eve.audit({ actor: 'operator:eve' }));
  expect(audited.map(({ action, result }) => `${action} ${result}`).sort()).toContain('close refused');
});

it('shows the definitions', async () => {
  const { dacapo } = await start();
  expect((await dacapo.workflows.list()).map(({ workflow_type }) => workflow_type)).toEqual([
    'onboarding',
    'order',
    'quotes',
    'research',
    'signup',
  ]);
  expect(await dacapo.workflows.get('order', 1)).toMatchObject({ recovery: ['fulfilment', 'payment', 'reservation'] });
  expect((await dacapo.workflows.graph('order')).edges).toContainEqual({
    from: 'do.payment',
    to: 'undo.payment',
    kind: 'undo',
  });
});
