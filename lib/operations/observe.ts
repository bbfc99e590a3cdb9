/**
 * What a driver tells about a dependency after a call: a failure is counted, and whoever held the probe says how it
 * went. A success while the breaker is closed tells nothing and costs nothing. Trouble here never touches the answer.
 */
import type { Answer } from '../core/answers.ts';
import { type BreakerEvent, verdictOf } from '../core/breaker.ts';
import { withBreaker } from '../core/dependency.ts';
import type { Call } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import { changeDependency, tellDependency } from './change-dependency.ts';
import type { Engine } from './engine.ts';

export async function observe(engine: Engine, jobId: JobId, call: Call, answer: Answer): Promise<void> {
  const { gates } = engine;
  if (gates === undefined) return;
  const verdict = verdictOf(answer);
  const probes = call.direction !== 'query' && gates.find(call.target)?.breaker.holder === jobId;
  if (!probes && verdict !== 'down') return;
  const event: BreakerEvent = probes ? { type: 'probed', holder: jobId, isUp: verdict === 'up' } : { type: 'failed' };
  try {
    await turnBreaker(engine, call.target, event, reasonOf(call, answer));
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    engine.ports.log.write('warn', 'dependency_not_told', { dependency: call.target, error: name });
  }
}

/** Answers whether the breaker took the event. */
export async function turnBreaker(engine: Engine, id: string, event: BreakerEvent, reason: string): Promise<boolean> {
  const by = { actor: engine.actor, reason, byPerson: false };
  const changed = await changeDependency(engine, id, (held, now) => withBreaker(held, event, by, now));
  if (changed === null) return false;
  await tellDependency(engine, changed);
  return true;
}

function reasonOf({ topic }: Call, answer: Answer): string {
  return answer.kind === 'failure' ? `${topic} answered ${answer.code}` : `${topic} answered again`;
}
