/**
 * What must hold for every job once nothing moves any more, whatever was killed on the way.
 */
import { expect } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import { deadLetterIdOf } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { isTerminal } from '../../lib/core/states.ts';
import { JOB_TRANSITIONS } from '../../lib/core/transitions.ts';
import { examples } from '../../lib/workflows/examples.ts';
import type { World } from './world.ts';

export async function holdsTogether(world: World, job: Job): Promise<void> {
  historyIsWhole(job);
  await effectsMatchTheEnd(world, job);
  await newsMatchTheEnd(world, job);
  attemptsNameOneOperationEach(job);
  if (isTerminal(job.state)) {
    expect(job.bucket, 'an ended job leaves the watchdog index').toBeNull();
    expect(job.nextActionAt).toBeNull();
    expect(job.steps.flatMap((step) => [step.lease, step.undo?.lease ?? null]).filter((lease) => lease)).toEqual([]);
  } else {
    expect(job.state).toBe('NEEDS_REVIEW');
    expect(job.nextActionAt).toBeGreaterThan(world.ports.clock.now() - 60_000);
    expect(job.bucket).toBeLessThanOrEqual(job.nextActionAt ?? 0);
  }
  const errors = world.ports.log.lines.filter((line) => line.level === 'error');
  expect(errors, 'nothing breaks on the way').toEqual([]);
}

function historyIsWhole(job: Job): void {
  expect(job.history.map((entry) => entry.seq)).toEqual(job.history.map((_, index) => index));
  for (const [index, entry] of job.history.entries()) {
    expect(entry.from).toBe(job.history[index - 1]?.to ?? null);
    const edge = JOB_TRANSITIONS.some((row) => row.from === entry.from && row.to === entry.to);
    expect(edge, `${entry.from} → ${entry.to} is in the table`).toBe(true);
  }
  expect(job.history.at(-1)?.to).toBe(job.state);
}

async function effectsMatchTheEnd(world: World, job: Job): Promise<void> {
  const standing = (await world.standing()).map((one) => one.operationId).filter((id) => id.startsWith(job.jobId));
  const plan = examples.find(job.workflowType, job.workflowVersion);
  if (plan === undefined) throw new Error(`no plan for ${job.workflowType}`);
  const open = openEffects(job, plan).map((effect) => effect.operationId);
  if (job.outcome === 'succeeded') {
    const effectful = plan.steps.filter((step) => step.kind !== 'readOnly').map((step) => `${job.jobId}.${step.name}`);
    expect([...standing].sort(), 'every effect stands').toEqual([...effectful].sort());
  } else if (job.outcome === 'rolled_back') {
    expect(standing, 'nothing is left').toEqual([]);
    expect(open).toEqual([]);
  } else {
    for (const id of standing) expect(open, `${id} stands, so it is named as open`).toContain(id);
  }
}

async function newsMatchTheEnd(world: World, job: Job): Promise<void> {
  const byId = new Map(world.ports.bus.published.map((event) => [event.eventId, event]));
  const types = [...byId.values()].map((event) => event.detailType);
  const outcomes = types.filter((type) => type.startsWith(`${job.workflowType}:`));
  const undoFailed = job.stoppedReason === 'ORCH_COMPENSATION_FAILED';
  const expected = job.state === 'COMPLETED' ? 'completed' : isTerminal(job.state) || undoFailed ? 'failed' : null;
  expect(outcomes).toEqual(expected === null ? [] : [`${job.workflowType}:${expected}`]);
  const quarantined = job.state === 'DEAD_LETTERED' || undoFailed;
  expect((await world.ports.deadLetters.get(deadLetterIdOf(job.jobId))) !== null).toBe(quarantined);
  expect(types.includes('job.dead_lettered')).toBe(quarantined);
  expect(types.includes('job.needs_review')).toBe(job.state === 'NEEDS_REVIEW');
}

function attemptsNameOneOperationEach(job: Job): void {
  for (const step of job.steps) expect(step.attempts).toBeLessThanOrEqual(12);
}
