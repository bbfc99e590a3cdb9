/**
 * Every situation of a job × everything a person can do, through the real router, on stores that hold that job: what is
 * allowed leads where the table says and is told with who and why; what is refused changes nothing, and is told too.
 */
import { describe, expect, it } from 'vitest';
import { OPERATOR, type PortsAt, STRANGER, seeded } from '../http/seeded.ts';
import { actionsOn, SITUATIONS, type Situation } from '../http/situations.ts';

const REASON = 'spoke with the customer: go on';
const ON_EACH = SITUATIONS.map((situation) => ({ situation, name: situation.name }));
const ALLOWED = ON_EACH.flatMap((row) =>
  Object.entries(row.situation.allowed).map(([action, to]) => ({ ...row, action, to })),
);

/** The verb as the audit names it. */
const auditName = (action: string): string => (action.split(' ')[0] ?? '').replaceAll('-', '_');
const refusedOn = ({ moment, allowed }: Situation): string[] => actionsOn(moment).filter((one) => !(one in allowed));
const refusals = (records: Record<string, unknown>[]) => records.filter(({ result }) => result === 'refused');

export function operatorActionsContract(store: string, portsAt: PortsAt): void {
  allowedActions(store, portsAt);
  refusedActions(store, portsAt);
}

function allowedActions(store: string, portsAt: PortsAt): void {
  describe.each(ALLOWED)(`${store}: $name: $action`, ({ situation, action, to }) => {
    it(`leads to ${to}, with an entry of the history and a line of the audit that say who and why`, async () => {
      const { act, ask, audit, jobId, revision } = await seeded(portsAt, situation);
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
}

function refusedActions(store: string, portsAt: PortsAt): void {
  describe.each(ON_EACH)(`${store}: $name`, ({ situation }) => {
    it('refuses everything else, each time without any change, and tells who tried', async () => {
      const { act, stored, audit, jobId, ports } = await seeded(portsAt, situation);
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
      const { ask, jobId } = await seeded(portsAt, situation);
      const { support } = (await ask(`/jobs/${jobId}`)).body as { support: { safe_actions: Record<string, string>[] } };
      const named = support.safe_actions.map(({ action, step, resolution }) =>
        step === undefined ? action : `${action} ${step} ${resolution}`,
      );
      const safe = Object.keys(situation.allowed).filter((action) => action !== 'force-close');
      expect([...named].sort()).toEqual([...safe].sort());
    });

    it.each(['replay', 'discard'])('lets its dead letter be settled by %s only when it may be', async (verb) => {
      const { ask, jobId, stored, audit } = await seeded(portsAt, situation);
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

  it(`${store}: of no job there is nothing to do, and that somebody tried is told`, async () => {
    const [situation] = SITUATIONS;
    if (situation === undefined) throw new Error('no situation');
    const { ask, audit } = await seeded(portsAt, situation);
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
}
