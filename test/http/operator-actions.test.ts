/** What a person can do, on memory and SQLite; and what is the same for every store, on memory. */
import { describe, expect, it } from 'vitest';
import { memoryPorts } from '../../lib/adapters/memory/ports.ts';
import { sqlitePorts } from '../../lib/adapters/sqlite/ports.ts';
import { opened } from '../adapters/sqlite/file.ts';
import { operatorActionsContract } from '../contracts/operator-actions.ts';
import { inMemory, OWNER, STRANGER, seeded } from './seeded.ts';
import { ALL_STATES, actionsOn, COVERED_STATES, SITUATIONS } from './situations.ts';

const REASON = 'spoke with the customer: go on';
const ALLOWED = SITUATIONS.flatMap((situation) =>
  Object.entries(situation.allowed).map(([action, to]) => ({ situation, name: situation.name, action, to })),
);
const auditName = (action: string): string => (action.split(' ')[0] ?? '').replaceAll('-', '_');
const refusals = (records: Record<string, unknown>[]) => records.filter(({ result }) => result === 'refused');

operatorActionsContract('memory', inMemory);
operatorActionsContract('SQLite', (now) => {
  const memory = memoryPorts({ start: now });
  return { ...memory, ...sqlitePorts(opened(), memory.clock) };
});

describe('the table', () => {
  it('has a job in every state, and names no action that there is not', () => {
    expect(COVERED_STATES).toEqual(ALL_STATES);
    for (const { moment, allowed, name } of SITUATIONS) {
      expect(actionsOn(moment), name).toEqual(expect.arrayContaining(Object.keys(allowed)));
    }
  });
});

describe.each(ALLOWED)('$name: $action', ({ situation, action, to }) => {
  it(`leads to ${to} also without a revision, but not for whoever looked at an older one`, async () => {
    const { act, stored, audit, revision } = await seeded(inMemory, situation);
    const before = await stored();
    const told = await act(action, { reason: REASON, expected_revision: revision - 1 });
    expect([told.status, told.body.code]).toEqual([409, 'ORCH_INVALID_STATE_TRANSITION']);
    expect(told.body.detail).toMatch(/read it again/);
    expect(await stored()).toBe(before);
    expect(refusals(await audit())).toMatchObject([{ action: auditName(action), detail: told.body.detail }]);
    expect((await act(action, { reason: REASON })).body.current_state).toBe(to);
  });

  it('is nothing for a stranger, and for its owner only where that is a cancel', async () => {
    const { act, stored, audit } = await seeded(inMemory, situation);
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
    const { act, stored, audit } = await seeded(inMemory, situation);
    const [before, told] = [await stored(), (await audit()).length];
    for (const said of [{}, { reason: '' }, { reason: ' \t ' }, { reason: 7 }, { reason: 'x'.repeat(501) }]) {
      const answer = await act(action, said);
      expect([answer.status, answer.body.code], JSON.stringify(said)).toEqual([400, 'ORCH_MALFORMED_REQUEST']);
    }
    expect(await stored()).toBe(before);
    expect(await audit()).toHaveLength(told);
  });
});
