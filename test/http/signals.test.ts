/** What a caller tells a job: once, in the shape that the definition says, early or late, and never after the end. */
import { describe, expect, it } from 'vitest';
import { DAY, waiting } from './waiting.ts';

const MAIN = { street: 'Main' };

describe('a signal', () => {
  it('that comes before the step waits is kept for it', async () => {
    const rig = await waiting();
    const told = await rig.tell(MAIN);
    expect([told.status, told.headers.get('location')]).toEqual([202, `/jobs/${rig.jobId}`]);
    expect(await rig.steps()).toMatchObject({ pack: 'waiting', address: 'pending' });
    await rig.callback(rig.tokenOf('pack'));
    await rig.go();
    expect(await rig.steps()).toMatchObject({ address: 'succeeded', release: 'waiting' });
  });

  it('that comes in time becomes the output', async () => {
    const rig = await waiting();
    await rig.callback(rig.tokenOf('pack'));
    await rig.go();
    expect((await rig.tell(MAIN)).body.current_state).toBe('PROCESSING');
    const { body } = await rig.ask(`/jobs/${rig.jobId}`);
    expect((body.steps as unknown[])[1]).toMatchObject({ status: 'succeeded', output: MAIN });
  });

  it('of any size that is allowed survives, and lies apart from the job', async () => {
    const rig = await waiting();
    const long = { street: 'x'.repeat(100_000) };
    await rig.tell(long);
    expect((await rig.stored())?.steps[1]?.received?.value?.hash).toMatch(/^[0-9a-f]{64}$/);
    await rig.callback(rig.tokenOf('pack'));
    await rig.go();
    const { body } = await rig.ask(`/jobs/${rig.jobId}`);
    expect((body.steps as unknown[])[1]).toMatchObject({ output: long });
    expect((await rig.tell({ street: 'x'.repeat(300_000) })).status).toBe(413);
  });

  it('sent again under its key is the same one, also after the job has ended', async () => {
    const rig = await waiting();
    await rig.tell(MAIN);
    const before = await rig.stored();
    const again = await rig.tell(MAIN);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(await rig.stored()).toEqual(before);
    await rig.post(`/jobs/${rig.jobId}/cancel`, { reason: 'enough' });
    await rig.go();
    expect((await rig.tell(MAIN)).status).toBe(202);
  });

  it.each([
    [
      'the same key with other words',
      { street: 'Side' },
      { 'idempotency-key': 's1' },
      'ORCH_DUPLICATE_IDEMPOTENCY_KEY',
    ],
    ['the same key with words that do not fit', 7, { 'idempotency-key': 's1' }, 'ORCH_DUPLICATE_IDEMPOTENCY_KEY'],
    ['another key', MAIN, { 'idempotency-key': 's2' }, 'ORCH_INVALID_STATE_TRANSITION'],
  ])('then %s is refused', async (_what, body, headers, code) => {
    const rig = await waiting();
    await rig.tell(MAIN);
    const before = await rig.stored();
    expect(await rig.tell(body, headers)).toMatchObject({ status: 409, body: { code } });
    expect(await rig.stored()).toEqual(before);
  });

  it('without a key is malformed, with words that do not fit is refused at the door', async () => {
    const rig = await waiting();
    const before = await rig.stored();
    expect(await rig.tell(MAIN, {})).toMatchObject({ status: 400, body: { code: 'ORCH_MALFORMED_REQUEST' } });
    const wrong = await rig.tell({ street: 7 });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'CONTRACT_INPUT_INVALID' } });
    expect(wrong.body.errors).toEqual([{ path: '/street', message: expect.any(String) }]);
    expect(await rig.stored()).toEqual(before);
    expect((await rig.tell(MAIN)).status).toBe(202);
  });

  it('that the workflow does not know says which ones it does', async () => {
    const rig = await waiting();
    const told = await rig.tell(MAIN, { 'idempotency-key': 's1' }, 'nonsense');
    expect(told).toMatchObject({ status: 404, body: { code: 'ORCH_UNKNOWN_SIGNAL' } });
    expect(told.body.detail).toContain('address');
  });

  it('to a job of another caller, or to none, is to nobody', async () => {
    const rig = await waiting();
    const stranger = { 'idempotency-key': 's1', 'x-caller-id': 'mallory', 'x-caller-role': 'submitter' };
    expect((await rig.tell(MAIN, stranger)).body.code).toBe('ORCH_UNKNOWN_JOB');
    expect((await rig.tell(MAIN, { 'idempotency-key': 's1', 'x-caller-role': 'submitter' })).status).toBe(202);
    expect((await rig.post('/jobs/jnone/signals/address', MAIN, { 'idempotency-key': 's' })).status).toBe(404);
  });

  it('to a job that has ended is refused', async () => {
    const rig = await waiting();
    await rig.post(`/jobs/${rig.jobId}/cancel`, { reason: 'enough' });
    await rig.go();
    expect(await rig.tell(MAIN)).toMatchObject({ status: 409, body: { code: 'ORCH_INVALID_STATE_TRANSITION' } });
  });

  it('that comes after its time finds the job turned back', async () => {
    const rig = await waiting();
    await rig.callback(rig.tokenOf('pack'));
    await rig.go();
    await rig.go(2 * DAY);
    expect(await rig.stored()).toMatchObject({ state: 'DEAD_LETTERED', lastErrorCode: 'EXT_TIMEOUT' });
    expect((await rig.tell(MAIN)).status).toBe(409);
  });
});

describe('a whole job of waits', () => {
  it.each([true, false])('goes from one to the next to its end; a gift (%s) is wrapped', async (gift) => {
    const rig = await waiting(gift);
    await rig.callback(rig.tokenOf('pack'));
    await rig.go();
    await rig.tell(MAIN);
    await rig.go();
    expect(await rig.steps()).toMatchObject({ wrap: gift ? 'succeeded' : 'skipped' });
    await rig.post(`/approvals/${rig.tokenOf('release')}`, { decision: 'approved', by: 'Grace' });
    await rig.go();
    expect(await rig.steps()).toMatchObject({ rest: 'waiting' });
    await rig.go(3 * DAY);
    const { body } = await rig.ask(`/jobs/${rig.jobId}`);
    expect(body).toMatchObject({ current_state: 'COMPLETED', output: { street: 'Main', by: 'Grace' } });
    expect(body.output).toMatchObject({ wrapped: gift ? 'paper' : null });
  });
});
