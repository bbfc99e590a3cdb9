/** Two versions side by side: jobs stay with theirs, until an operator moves those that can go. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { registry, step, workflow } from '../../lib/definition/index.ts';
import { OPERATOR, STRANGER } from './seeded.ts';
import { house } from './support.ts';

const nothing = z.strictObject({});
const make = (name: string) =>
  step(name, { topic: `${name}:make`, input: () => ({}), output: z.unknown(), undo: `${name}:drop` });
const once = workflow('trip', 1)
  .input(nothing)
  .stage(make('a'))
  .output(() => ({ version: 1 }));
const twice = workflow('trip', 2)
  .input(nothing)
  .stage(make('a'))
  .stage(make('b'))
  .output(() => ({ version: 2 }));
const SAID = { from: 1, to: 2, reason: 'a second service came' };

function two(held = true) {
  const place = house();
  Object.assign(place.engine, { plans: registry(once, twice) });
  place.drives.hold = held;
  const submit = async (key: string) =>
    (await place.ask('/workflows/trip/jobs?version=1', { headers: { 'idempotency-key': key }, body: {} })).body;
  const migrate = (said: object, headers: Record<string, string> = OPERATOR) =>
    place.ask('/workflows/trip/migrate', { body: { ...SAID, ...said }, headers });
  return { ...place, submit, migrate };
}

describe('jobs of two versions', () => {
  it('go on by the one they were submitted for, the newest where none was named', async () => {
    const { ask, submit, ports } = two(false);
    const old = await submit('k1');
    const { body: young } = await ask('/workflows/trip/jobs', { headers: { 'idempotency-key': 'k2' }, body: {} });
    await ports.clock.advanceAsync(1_000);
    const output = async (id: unknown) => (await ask(`/jobs/${id}`)).body.output;
    expect([await output(old.job_id), await output(young.job_id)]).toEqual([{ version: 1 }, { version: 2 }]);
  });

  it('are moved by an operator, and end by the version they were moved to', async () => {
    const { ask, submit, migrate, run, ports, drives } = two();
    const job = await submit('k1');
    const { body } = await migrate({});
    expect(body).toEqual({
      workflow_type: 'trip',
      ...{ from: 1, to: 2, dry_run: false, migrated: 1, refused_count: 0, refused: [], more: false },
    });
    drives.hold = false;
    await run(job.job_id as never, 'forward');
    await ports.clock.advanceAsync(1_000);
    const { body: ended } = await ask(`/jobs/${job.job_id}`);
    expect([ended.workflow_version, ended.output]).toEqual([2, { version: 2 }]);
    const { body: audit } = await ask(`/audit?job_id=${job.job_id}`, { headers: OPERATOR });
    expect(audit.items).toMatchObject([{ actor: 'operator:ann', reason: expect.stringContaining(SAID.reason) }]);
  });

  it('are only asked about in a dry run', async () => {
    const { ask, submit, migrate } = two();
    const job = await submit('k1');
    const before = (await ask(`/jobs/${job.job_id}`)).body;
    expect((await migrate({ dry_run: true })).body).toMatchObject({ dry_run: true, migrated: 1 });
    expect((await ask(`/jobs/${job.job_id}`)).body).toEqual(before);
  });

  it('stay where the other version does not take them, and the reason is told', async () => {
    const { submit, migrate } = two();
    const job = await submit('k1');
    await migrate({});
    const back = await migrate({ from: 2, to: 1 });
    expect(back.body).toMatchObject({ migrated: 1 });
    expect((await migrate({ from: 2, to: 1 })).body).toMatchObject({ migrated: 0, refused_count: 0 });
    expect(job.workflow_version).toBe(1);
  });

  it('are not moved by others, to the same version, to one that is not there, or without a reason', async () => {
    const { submit, migrate } = two();
    await submit('k1');
    expect((await migrate({}, STRANGER)).body.code).toBe('ORCH_FORBIDDEN');
    expect((await migrate({ to: 1 })).body.code).toBe('ORCH_MALFORMED_REQUEST');
    expect((await migrate({ to: 9 })).body.code).toBe('ORCH_UNKNOWN_WORKFLOW');
    expect((await migrate({ reason: ' ' })).body.code).toBe('ORCH_MALFORMED_REQUEST');
    expect((await migrate({ dry_run: true })).body).toMatchObject({ migrated: 1 });
  });
});
