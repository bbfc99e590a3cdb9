/**
 * What people do to schedules, in the audit. The act is part of the record that it changed, so whoever looks after the
 * record next tells of it too, if whoever did it died before; its id makes a repetition harmless.
 */
import type { ScheduleRecord } from '../core/schedule-record.ts';
import { type Attempt, auditDone } from './audit.ts';
import type { Engine } from './engine.ts';

export function attemptOn(name: string, actor: string, action: string, reason: string): Attempt {
  return { actor, action: `schedule_${action}`, subject: `schedule:${name}`, jobId: null, reason };
}

/** The record, with its last act told. */
export async function tellAct(engine: Engine, record: ScheduleRecord): Promise<ScheduleRecord> {
  const { name, act } = record;
  if (act.told) return record;
  const attempt = attemptOn(name, act.actor, act.action, act.reason);
  await auditDone(engine, attempt, `schedule.${name}.${act.at}.${act.revision}`, act.at);
  return { ...record, act: { ...act, told: true } };
}
