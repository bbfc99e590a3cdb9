/**
 * What a driver tells about a release after a call: a released job's call that failed is counted, and when too many do
 * the release stops. A success tells nothing and costs nothing. Trouble here never touches the answer.
 */
import type { Answer } from '../core/answers.ts';
import type { Call } from '../core/events.ts';
import { wasHeldBy } from '../core/gates.ts';
import type { Job } from '../core/job.ts';
import { covers, failureCounted, pauseGate } from '../core/pause.ts';
import { changePause, tellPause } from './change-pause.ts';
import type { Engine } from './engine.ts';

export async function observeRelease(engine: Engine, job: Job, call: Call, answer: Answer): Promise<void> {
  const releasing = engine.gates?.pauses().filter(({ status }) => status === 'releasing') ?? [];
  if (releasing.length === 0 || answer.kind !== 'failure' || isRefusal(answer.code)) return;
  const { topic, target, direction } = call;
  for (const pause of releasing) {
    if (!covers(pause, { topic, target, direction, job }) || !wasHeldBy(job, pauseGate(pause.id))) continue;
    try {
      const changed = await changePause(engine, pause.id, (held, now) =>
        held === null ? null : failureCounted(held, engine.actor, now),
      );
      if (changed?.status !== 'active') continue;
      engine.ports.log.write('error', 'release_stopped', { pause: pause.id, why: changed.stoppedReason });
      await engine.gates?.reread();
      await tellPause(engine, changed);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      engine.ports.log.write('warn', 'release_not_told', { pause: pause.id, error: name });
    }
  }
}

/** What a participant refuses for its own good reasons says nothing against the release. */
function isRefusal(code: string): boolean {
  return ['DQ_', 'LEGAL_', 'CONTRACT_'].some((prefix) => code.startsWith(prefix));
}
