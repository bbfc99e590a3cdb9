/**
 * Who finds out whether a dependency is back: the next real call of a job that waits for it, elected by one conditional
 * write. If it dies, its lease ends and another is elected; if it has no call to make, it gives the probe back.
 */

import { probeIsDue } from '../core/breaker.ts';
import { dependencyGate, dependencyOf } from '../core/gates.ts';
import type { GateId, JobId } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import { apply } from './apply.ts';
import type { Engine } from './engine.ts';
import { turnBreaker } from './observe.ts';
import { type HintAt, releaseJob } from './release.ts';

/** A driver whose job was just parked makes the probe itself when it is due; true: the job has a call to make now. */
export async function probeByJob(engine: Engine, { jobId }: Job, gate: GateId): Promise<boolean> {
  const id = dependencyOf(gate);
  if (id === null || !isDue(engine, id)) return false;
  if (!(await elect(engine, id, jobId))) return false;
  const applied = await apply(engine, jobId, () => ({ type: 'released', gate, startAt: engine.ports.clock.now() }));
  if (applied.status === 'changed') return true;
  await giveBack(engine, id, jobId);
  return false;
}

/** Candidates that a look tries before it leaves the probe to a health check or to the next look. */
const TRIED_AT_ONCE = 3;
/** Among the oldest this many: a job whose own call is what fails must not be asked for ever. */
const DRAWN_FROM = 100;

/** Elects one of the jobs that wait; false: none of them can make the probe, or somebody else holds it. */
export async function probeByParked(engine: Engine, id: string, hint: HintAt): Promise<boolean> {
  if (!isDue(engine, id)) return false;
  const { jobs, ids, clock } = engine.ports;
  const gate = dependencyGate(id);
  const { items } = await jobs.parked({ gate, limit: DRAWN_FROM, after: null });
  const left = [...items];
  for (let tries = 0; tries < TRIED_AT_ONCE && left.length > 0; tries += 1) {
    const [drawn] = left.splice(Math.floor(ids.random() * left.length), 1);
    if (drawn === undefined || !(await elect(engine, id, drawn.jobId))) return false;
    if (await releaseJob(engine, drawn.jobId, gate, clock.now(), hint)) return true;
    await giveBack(engine, id, drawn.jobId);
  }
  return false;
}

function isDue(engine: Engine, id: string): boolean {
  const known = engine.gates?.find(id);
  return known !== undefined && probeIsDue(known.breaker, engine.ports.clock.now());
}

function elect(engine: Engine, id: string, holder: JobId): Promise<boolean> {
  return turnBreaker(engine, id, { type: 'elect', holder }, 'probe by a parked job');
}

function giveBack(engine: Engine, id: string, holder: JobId): Promise<boolean> {
  return turnBreaker(engine, id, { type: 'withdrawn', holder }, 'the job has no call to make');
}
