/**
 * What goes wrong where no caller can be told.
 */
import type { JobId } from '../core/ids.ts';
import { failureFields } from '../http/failure-fields.ts';
import type { Engine } from '../operations/engine.ts';

export function report(engine: Engine, event: string, error: unknown, jobId: JobId | null = null): void {
  engine.ports.log.write('error', event, { ...(jobId === null ? {} : { job_id: jobId }), ...failureFields(error) });
}
