/**
 * A stored item of a schema this code does not know. During a deployment old and new code run side by side: the old
 * leaves such an item alone, answers `ignored: newer_schema`, and the message comes back later to the new one.
 */
import { JOB_SCHEMA } from './job.ts';

export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
  readonly jobId: string;
  readonly schema: number;

  constructor(jobId: string, schema: number, known = JOB_SCHEMA, what = 'job') {
    super(
      `${what} ${jobId} is stored in schema ${schema} and this code knows ${known}: leave it to the newer code, or deploy that here`,
    );
    this.jobId = jobId;
    this.schema = schema;
  }
}
