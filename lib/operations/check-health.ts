/**
 * Asks a dependency how it is, by a topic that has no effect, and keeps what it answered. While its breaker waits for a
 * probe and no parked job makes it, the check is the probe.
 */
import { type Answer, failure } from '../core/answers.ts';
import { verdictOf } from '../core/breaker.ts';
import { type Dependency, withCheck } from '../core/dependency.ts';
import type { JobId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { changeDependency, tellDependency } from './change-dependency.ts';
import type { Engine } from './engine.ts';
import { turnBreaker } from './observe.ts';

/** Answers the record as it is then. */
export async function checkHealth(engine: Engine, id: string, topic: string): Promise<Dependency> {
  const answer = await ask(engine, id, topic);
  const isUp = verdictOf(answer) === 'up';
  const notes =
    answer.kind === 'failure' ? `${answer.code}: ${answer.message}`.slice(0, LIMITS.reasonCharactersMax) : null;
  const checked = await changeDependency(engine, id, (held, now) => withCheck(held, { isUp, notes }, now));
  if (checked === null) throw new Error('a check always changes its record');
  await tellDependency(engine, checked);
  return checked;
}

/** Checks every dependency whose last check is not of this minute. One that cannot be asked keeps no other from it. */
export async function checkAll(engine: Engine): Promise<number> {
  const { clock, log } = engine.ports;
  const due = (engine.dependencies ?? []).flatMap(({ id, healthTopic }) => {
    const last = engine.gates?.find(id)?.health.lastCheckedAt ?? null;
    const isDue = last === null || clock.now() - last >= LIMITS.healthIntervalMs || last > clock.now();
    return healthTopic !== null && isDue ? [{ id, healthTopic }] : [];
  });
  const checks = due.map(async ({ id, healthTopic }) => {
    try {
      await checkHealth(engine, id, healthTopic);
    } catch (error) {
      log.write('warn', 'check_failed', { dependency: id, error: error instanceof Error ? error.name : 'unknown' });
    }
  });
  await Promise.all(checks);
  return due.length;
}

/** The check of a dependency whose breaker is open, made under the lease of the one probe; false: somebody else makes it. */
export async function probeByCheck(engine: Engine, id: string, topic: string): Promise<boolean> {
  const holder = `health:${engine.ports.ids.owner()}`;
  if (!(await turnBreaker(engine, id, { type: 'elect', holder }, 'probe by a health check'))) return false;
  const { health } = await checkHealth(engine, id, topic);
  const isUp = health.consecutiveFailures === 0;
  await turnBreaker(
    engine,
    id,
    { type: 'probed', holder, isUp },
    isUp ? 'its health check answered' : 'its health check failed',
  );
  return true;
}

async function ask({ ports }: Engine, target: string, topic: string): Promise<Answer> {
  const now = ports.clock.now();
  const operationId = `health.${target}.${now}`;
  const timeoutMs = LIMITS.healthTimeoutMs;
  const call = {
    step: 'health',
    direction: 'do',
    topic,
    target,
    operationId,
    about: null,
    attempt: 1,
    body: {},
    fence: false,
    timeoutMs,
    lastStartAt: now + timeoutMs,
    deadlineAt: now + timeoutMs,
    token: null,
  } as const;
  try {
    return await ports.participants.call({
      call,
      // No job: the operation names what is asked for.
      jobId: operationId as JobId,
      callerId: 'dacapo:health',
      workflowVersion: 0,
      correlationId: operationId,
      traceparent: ports.ids.traceparent(),
      tracestate: null,
    });
  } catch (error) {
    return failure('EXT_UNEXPECTED', error instanceof Error ? error.name : 'unknown', false);
  }
}
