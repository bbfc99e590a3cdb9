/** A schedule as stores keep it: one JSON document under a schema number, whole, since it is small and seldom written. */
import { NewerSchemaError } from '../core/newer-schema.ts';
import type { ScheduleRecord } from '../core/schedule-record.ts';

const SCHEMA = 1;

export function scheduleToJson(record: ScheduleRecord): string {
  return JSON.stringify({ schema: SCHEMA, ...record });
}

/** @throws NewerSchemaError when newer code has written it: this code would lose what it does not know */
export function scheduleFromJson(text: string): ScheduleRecord {
  const { schema, ...record } = JSON.parse(text) as { schema: number } & ScheduleRecord;
  if (schema > SCHEMA) throw new NewerSchemaError(record.name, schema, SCHEMA, 'schedule');
  return record;
}
