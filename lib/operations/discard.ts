/** Closes a dead letter for good: nobody will replay it any more. What its job has left stays named at the job. */
import { isTerminal } from '../core/states.ts';
import type { DeadLetter } from '../ports.ts';
import type { Engine } from './engine.ts';
import { findDeadLetter } from './quarantine.ts';
import {
  audited,
  notOperator,
  type Refused,
  replayIdOf,
  type SettleRequest,
  settle,
  tellSettled,
  underReview,
  unknownRecord,
  wasDiscarded,
  wasReplayed,
} from './settle-dead-letter.ts';

export interface Discarded {
  readonly kind: 'done';
  readonly record: DeadLetter;
}

export async function discard(engine: Engine, request: SettleRequest): Promise<Discarded | Refused> {
  return audited(engine, 'discard', request, await tryDiscard(engine, request));
}

async function tryDiscard(engine: Engine, { viewer, deadLetterId, reason }: SettleRequest) {
  const { clock, jobs } = engine.ports;
  if (viewer.role !== 'operator') return notOperator;
  const record = await findDeadLetter(engine, deadLetterId);
  if (record === null) return unknownRecord;
  const job = await jobs.read(record.jobId);
  if (job !== null && !isTerminal(job.state)) return underReview(job);
  await tellSettled(engine, record);
  if (record.settlement !== null) return record.settlement.status === 'discarded' ? wasDiscarded : wasReplayed;
  if ((await jobs.read(replayIdOf(record))) !== null) return wasReplayed;
  const settlement = {
    status: 'discarded',
    by: viewer.callerId,
    reason,
    at: clock.now(),
    replayJobId: null,
  } as const;
  const settled = await settle(engine, record, settlement);
  if (settled?.settlement?.status !== 'discarded') return wasReplayed;
  await tellSettled(engine, settled);
  return { kind: 'done', record: settled } as const;
}
