/**
 * Every situation of a job × everything a person can do, through the real router, on stores that hold that job: what is
 * allowed leads where the table says and is told with who and why; what is refused changes nothing, and is told too.
 */
import { describe, expect, it } from 'vitest';
import { OPERATOR, OWNER, STRANGER, type StoreName, seeded } from './seeded.ts';
import { ALL_STATES, actionsOn, COVERED_STATES, SITUATIONS, type Situation } from './situations.ts';

const REASON = 'spoke with the customer: go on';
const STORES: readonly StoreName[] = ['memory', 'SQLite'];
const ON_EACH = STORES.flatMap((store) => SITUATIONS.map((situation) => ({ store, situation, name: situation.name })));
const ALLOWED = ON_EACH.flatMap((row) =>
  Object.entries(row.situation.allowed).map(([action, to]) => ({ ...row, action, to })),
);

/** The verb as the audit names it. */
const auditName = (action: string): string => (action.split(' ')[0] ?? '').replaceAll('-', '_');
const refusedOn = ({ moment, allowed }: Situation): string[] => actionsOn(moment).filter((one) => !(one in allowed));
const refusals = (records: Record<string, unknown>[]) => records.filter(({ result }) => result === 'refused');

describe('the table', () => {
  it('has a job in every state, and names no action that there is not', () => {
    expect(COVERED_STATES).toEqual(ALL_STATES);
    for (const { moment, allowed, name } of SITUATIONS) {
      expect(actionsOn(moment), name).toEqual(expect.arrayContaining(Object.keys(allowed)));
    }
  });
});

describe.each(ALLOWED)('$store: $name: $action', ({ store, situation, action, to }) => {
  it(`leads to ${to}, with an entry of the history and a line of the audit that say who and why`, async () => {
    const { act, ask, audit, jobId, revision } = await seeded(store, situation);
    const before = (await ask(`/jobs/${jobId}`)).body;
    const told = await act(action, { reason: REASON, expected_revision: revision });
    expect([told.status, told.body.current_state], JSON.stringify(told.body)).toEqual([202, to]);

    const { items } = (await ask(`/jobs/${jobId}/history`)).body as { items: Record<string, unknown>[] };
    const own = items.slice(situation.moment.job.history.length).filter(({ actor }) => actor === 'operator:ann');
    expect(own.length).toBeGreaterThan(0);
    for (const entry of own) expect(entry.transition_reason).toContain(REASON);
    // Where the job stays as it is, a step has moved.
    if (to === before.current_state) {
      expect([own[0]?.from_state, own[0]?.to_state]).toEqual([to, to]);
      expect(told.body.steps).not.toEqual(before.steps);
    }
    const done = (await audit()).filter(({ actor, result }) => actor === 'operator:ann' && result === 'done');
    expect(done.length).toBeGreaterThan(0);
    expect(done[0]).toMatchObject({ action: auditName(action), subject: jobId, error_code: null });
    expect(String(done[0]?.reason)).toContain(REASON);
  });
});

describe.each(ALLOWED.filter(({ store }) => store === 'memory'))(
  '$name: $action',
  ({ store, situation, action, to }) => {
    it(`leads to ${to} also without a revision, but not for whoever looked at an older one`, async () => {
      const { act, stored, audit, revision } = await seeded(store, situation);
      const before = await stored();
      const told = await act(action, { reason: REASON, expected_revision: revision - 1 });
      expect([told.status, told.body.code]).toEqual([409, 'ORCH_INVALID_STATE_TRANSITION']);
      expect(told.body.detail).toMatch(/read it again/);
      expect(await stored()).toBe(before);
      expect(refusals(await audit())).toMatchObject([{ action: auditName(action), detail: told.body.detail }]);
      expect((await act(action, { reason: REASON })).body.current_state).toBe(to);
    });

    it('is nothing for a stranger, and for its owner only where that is a cancel', async () => {
      const { act, stored, audit } = await seeded(store, situation);
      const before = await stored();
      const stranger = await act(action, { reason: REASON }, STRANGER);
      const [status, code] = action === 'cancel' ? [404, 'ORCH_UNKNOWN_JOB'] : [403, 'ORCH_FORBIDDEN'];
      expect([stranger.status, stranger.body.code, stranger.body.job_id]).toEqual([status, code, undefined]);
      expect(await stored()).toBe(before);
      expect(refusals(await audit())).toMatchObject([{ action: auditName(action), error_code: code, reason: REASON }]);
      const owner = await act(action, { reason: REASON }, OWNER);
      expect(owner.status).toBe(action === 'cancel' ? 202 : 403);
      expect((await stored()) === before).toBe(action !== 'cancel');
    });

    it('says why, or is malformed and not even tried', async () => {
      const { act, stored, audit } = await seeded(store, situation);
      const [before, told] = [await stored(), (await audit()).length];
      for (const said of [{}, { reason: '' }, { reason: ' \t ' }, { reason: 7 }, { reason: 'x'.repeat(501) }]) {
        const answer = await act(action, said);
        expect([answer.status, answer.body.code], JSON.stringify(said)).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
      }
      expect(await stored()).toBe(before);
      expect(await audit()).toHaveLength(told);
    });
  },
);

describe.each(ON_EACH)('$store: $name', ({ store, situation }) => {
  it('refuses everything else, each time without any change, and tells who tried', async () => {
    const { act, stored, audit, jobId, ports } = await seeded(store, situation);
    const before = await stored();
    for (const action of refusedOn(situation)) {
      const answer = await act(action, { reason: `${REASON} (${action})` });
      expect(answer.status, action).toBe(409);
      expect(answer.body).toMatchObject({ code: 'ORCH_INVALID_STATE_TRANSITION', job_id: jobId });
      expect(String(answer.body.detail).length).toBeGreaterThan(20);
      expect(await stored(), action).toBe(before);
      expect(refusals(await audit()).find(({ detail }) => detail === answer.body.detail)).toMatchObject({
        actor: 'operator:ann',
        subject: jobId,
        error_code: 'ORCH_INVALID_STATE_TRANSITION',
      });
    }
    const told = refusals(await audit()).map(({ action, reason }) => `${action} ${reason}`);
    const tried = refusedOn(situation).map((action) => `${auditName(action)} ${REASON} (${action})`);
    expect(told.sort()).toEqual(tried.sort());
    const record = await ports.deadLetters.get(`d${jobId}`);
    expect(record?.settlement ?? null).toBeNull();
  });

  it('names in its view exactly what is allowed and safe', async () => {
    const { ask, jobId } = await seeded(store, situation);
    const { support } = (await ask(`/jobs/${jobId}`)).body as { support: { safe_actions: Record<string, string>[] } };
    const named = support.safe_actions.map(({ action, step, resolution }) =>
      step === undefined ? action : `${action} ${step} ${resolution}`,
    );
    const safe = Object.keys(situation.allowed).filter((action) => action !== 'force-close');
    expect([...named].sort()).toEqual([...safe].sort());
  });

  it.each(['replay', 'discard'])('lets its dead letter be settled by %s only when it may be', async (verb) => {
    const { ask, jobId, stored, audit } = await seeded(store, situation);
    const before = await stored();
    const path = `/dead-letters/d${jobId}/${verb}`;
    expect((await ask(path, { reason: '  ' })).status).toBe(400);
    expect((await ask(path, { reason: REASON }, STRANGER)).status).toBe(403);
    const told = await ask(path, { reason: REASON });
    const own = (await audit()).find(({ actor, action }) => actor === 'operator:ann' && action === verb);
    if (situation.deadLetter === 'open') {
      expect(told.status, JSON.stringify(told.body)).toBe(verb === 'replay' ? 202 : 200);
      expect(own).toMatchObject({ result: 'done', subject: `d${jobId}`, reason: REASON });
      return;
    }
    const none = verb === 'replay' ? [409, 'ORCH_DEAD_LETTER_REQUIRED'] : [404, 'ORCH_UNKNOWN_DEAD_LETTER'];
    const expected = situation.deadLetter === 'none' ? none : [409, 'ORCH_INVALID_STATE_TRANSITION'];
    expect([told.status, told.body.code]).toEqual(expected);
    expect(own).toMatchObject({ result: 'refused', error_code: expected[1], reason: REASON });
    expect(await stored()).toBe(before);
  });
});

it.each(STORES)('%s: of no job there is nothing to do, and that somebody tried is told', async (store) => {
  const [situation] = SITUATIONS;
  if (situation === undefined) throw new Error('no situation');
  const { ask, audit } = await seeded(store, situation);
  const nobody = `j${'a'.repeat(26)}`;
  const needs: Record<string, object> = {
    resolve: { step: 'a', resolution: 'applied' },
    'force-close': { confirm: nobody },
  };
  for (const verb of ['cancel', 'resume', 'retry-compensation', 'close', 'resolve', 'force-close']) {
    const told = await ask(`/jobs/${nobody}/${verb}`, { reason: REASON, ...needs[verb] }, OPERATOR);
    expect([told.status, told.body.code]).toEqual([404, 'ORCH_UNKNOWN_JOB']);
  }
  expect(await audit()).toEqual([]);
  expect((await ask(`/audit?job_id=${nobody}`)).body.items).toHaveLength(6);
});
