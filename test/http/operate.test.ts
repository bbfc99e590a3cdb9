import { describe, expect, it } from 'vitest';
import { house, refusedWith, SIGNUP, WAIT } from './support.ts';

const submitter = { 'x-caller-id': 'local', 'x-caller-role': 'submitter' };
const WHY = { reason: 'spoke with the customer' };
const VERBS = ['resume', 'retry-compensation', 'close', 'resolve', 'force-close'];

/** What each verb needs beside the reason. */
const bodyOf = (verb: string, jobId: unknown) => ({
  ...WHY,
  ...(verb === 'resolve' ? { step: 'tenant', resolution: 'compensated' } : {}),
  ...(verb === 'force-close' ? { confirm: jobId } : {}),
});

/** A job that waits for a person: its tenant cannot be deleted, until the test says so. */
async function stuck() {
  const world = { deletable: false };
  const rig = house((call) => {
    if (call.topic === 'user:create') return refusedWith('CONTRACT_VALIDATION_ERROR');
    return call.topic === 'tenant:delete' && !world.deletable ? refusedWith('CONTRACT_CONFLICT') : undefined;
  });
  const { body } = await rig.submit({ 'idempotency-key': 'k', ...WAIT });
  const jobId = String(body.job_id);
  const act = (verb: string, said: unknown, headers = {}) => rig.ask(`/jobs/${jobId}/${verb}`, { body: said, headers });
  return { ...rig, world, jobId, act };
}

describe('an operator', () => {
  it('has a refused undo tried again, and the job ends clean', async () => {
    const { world, act, run, ask, jobId } = await stuck();
    world.deletable = true;
    const told = await act('retry-compensation', WHY);
    expect([told.status, told.body.current_state]).toEqual([202, 'COMPENSATING']);
    expect(told.headers.get('location')).toBe(`/jobs/${jobId}`);
    await run(told.body.job_id as never, 'recovery');
    expect((await ask(`/jobs/${jobId}`)).body).toMatchObject({ outcome: 'rolled_back', open_effects: [] });
  });

  it('tells what became of an effect, with evidence, and may then close', async () => {
    const { act, ask, jobId } = await stuck();
    expect((await act('close', WHY)).status).toBe(409);
    const said = { ...bodyOf('resolve', jobId), evidence: 'ticket 7' };
    expect((await act('resolve', said)).status).toBe(202);
    const { items } = (await ask(`/jobs/${jobId}/history`)).body as { items: Record<string, unknown>[] };
    expect(items.some((entry) => entry.actor === 'operator:local' && entry.evidence === 'ticket 7')).toBe(true);
  });

  it('leaves effects behind only after naming the job once more, and they stay listed', async () => {
    const { act, jobId } = await stuck();
    const wrong = await act('force-close', { ...WHY, confirm: 'yes' });
    expect([wrong.status, wrong.body.errors]).toEqual([400, [{ path: '/confirm', message: expect.any(String) }]]);
    expect(await act('force-close', bodyOf('force-close', jobId))).toMatchObject({
      status: 202,
      body: { current_state: 'DEAD_LETTERED', open_effects: [{ step: 'tenant' }] },
    });
  });

  it.each(VERBS)('%s: with a stale revision is 409, of no job 404, without a reason 400', async (verb) => {
    const { act, ask, jobId } = await stuck();
    const stale = await act(verb, { ...bodyOf(verb, jobId), expected_revision: 0 });
    expect([stale.status, stale.body.code, stale.body.job_id]).toEqual([409, 'ORCH_INVALID_STATE_TRANSITION', jobId]);
    const nobody = `j${'a'.repeat(26)}`;
    const absent = await ask(`/jobs/${nobody}/${verb}`, { body: bodyOf(verb, nobody) });
    expect([absent.status, absent.body.code]).toEqual([404, 'ORCH_UNKNOWN_JOB']);
    expect((await act(verb, { ...bodyOf(verb, jobId), reason: ' ' })).body.code).toBe('ORCH_MALFORMED_REQUEST');
  });

  it.each(VERBS)('%s is not for submitters, not even of the job itself', async (verb) => {
    const { act, jobId } = await stuck();
    expect(await act(verb, bodyOf(verb, jobId), submitter)).toMatchObject({
      status: 403,
      body: { code: 'ORCH_FORBIDDEN' },
    });
  });

  it.each([
    [{ step: '', resolution: 'applied' }, '/step'],
    [{ step: 'tenant', resolution: 'perhaps' }, '/resolution'],
    [{ step: 'tenant', resolution: 'applied', evidence: 'e'.repeat(2_049) }, '/evidence'],
    [{ step: 'tenant', resolution: 'applied', confirm: 'x' }, '/confirm'],
  ])('resolve refuses %j and names %s', async (said, path) => {
    const { act } = await stuck();
    const told = await act('resolve', { ...WHY, ...said });
    expect([told.status, told.body.errors]).toEqual([400, [{ path, message: expect.any(String) }]]);
  });
});

describe('a dead letter', () => {
  async function poisoned() {
    const world = { healed: false };
    const rig = house((call) => (call.topic === 'user:create' && !world.healed ? refusedWith('BROKEN') : undefined));
    const { body } = await rig.submit({ 'idempotency-key': 'k', ...WAIT });
    await rig.ports.clock.settle();
    const act = (verb: string, said: unknown, headers = {}) =>
      rig.ask(`/dead-letters/d${body.job_id}/${verb}`, { body: said, headers });
    return { ...rig, world, dead: body, act };
  }

  it('is replayed as a new job, and a second time answers the same one', async () => {
    const { act, ask, dead } = await poisoned();
    const told = await act('replay', WHY);
    expect([told.status, told.body.replay_of, told.body.source]).toEqual([202, dead.job_id, 'replay']);
    expect((await act('replay', WHY)).body.job_id).toBe(told.body.job_id);
    expect((await ask(`/dead-letters/d${dead.job_id}`)).body).toMatchObject({
      status: 'replayed',
      replayed_by: told.body.job_id,
    });
    expect((await act('discard', WHY)).status).toBe(409);
  });

  it('is replayed with an edited input only if that fits the schema', async () => {
    const { act } = await poisoned();
    const told = await act('replay', { ...WHY, input: { ...SIGNUP, company: 7 } });
    expect([told.status, told.body.errors]).toEqual([422, [{ path: '/company', message: expect.any(String) }]]);
    expect((await act('replay', { ...WHY, input: { ...SIGNUP, company: 'Other' } })).body.input).toMatchObject({
      company: 'Other',
    });
  });

  it('is discarded for good', async () => {
    const { act } = await poisoned();
    expect((await act('discard', { ...WHY, input: {} })).status).toBe(400);
    expect(await act('discard', WHY)).toMatchObject({
      status: 200,
      body: { status: 'discarded', discarded_by: 'local' },
    });
    expect((await act('replay', WHY)).status).toBe(409);
  });

  it.each(['replay', 'discard'])('%s: not for submitters; of no record 404; while under review 409', async (verb) => {
    const { act, ask } = await poisoned();
    expect((await act(verb, WHY, submitter)).status).toBe(403);
    for (const id of ['x', `dj${'a'.repeat(26)}`]) {
      expect((await ask(`/dead-letters/${id}/${verb}`, { body: WHY })).body.code).toBe('ORCH_UNKNOWN_DEAD_LETTER');
    }
    const { ask: askThere, jobId, ports } = await stuck();
    await ports.clock.settle();
    expect((await askThere(`/dead-letters/d${jobId}/${verb}`, { body: WHY })).status).toBe(409);
  });
});

describe('the audit', () => {
  it('tells what was done and what was refused, newest first, page by page', async () => {
    const { act, ask, jobId, ports } = await stuck();
    await act('close', WHY);
    await ports.clock.advanceAsync(1_000);
    await act('retry-compensation', WHY, submitter);
    await ports.clock.advanceAsync(1_000);
    await act('force-close', bodyOf('force-close', jobId));
    const first = (await ask(`/audit?job_id=${jobId}&limit=2`)).body;
    const rest = (await ask(`/audit?job_id=${jobId}&limit=2&cursor=${first.next_cursor}`)).body;
    expect([...(first.items as unknown[]), ...(rest.items as unknown[])]).toMatchObject([
      { action: 'force_close', result: 'done', reason: WHY.reason, actor: 'operator:local' },
      { action: 'retry_compensation', result: 'refused', error_code: 'ORCH_FORBIDDEN' },
      { action: 'close', result: 'refused', error_code: 'ORCH_INVALID_STATE_TRANSITION', job_id: jobId },
    ]);
    expect((await ask('/audit?actor=nobody')).body.items).toEqual([]);
  });

  it('is for operators, and refuses filters that are none', async () => {
    const { ask } = house();
    expect((await ask('/audit', { headers: submitter })).status).toBe(403);
    expect((await ask('/audit?job_id=7')).status).toBe(400);
    expect((await ask('/audit?who=me')).status).toBe(400);
  });
});
