/**
 * Reads the name of an operation back: whose it is, and which. A result message of a participant says nothing else, so
 * everything that is to be known about its place has to follow from the name.
 */
import { childIdOf, type JobId, parentRoundOf, RESERVED_STEP_NAME } from './ids.ts';

export interface OperationName {
  readonly jobId: JobId;
  readonly step: string;
  /** Its number, where the operation is a child's. */
  readonly child: number | null;
  readonly round: number;
  /** Of an undo; null: it is no undo. */
  readonly generation: number | null;
}

/** `<job_id>.<step>[.c<child>][.r<round>][.undo[.<n>]]`, where the id of another run of a job ends in `.r<n>` itself. */
const NAME =
  /^(j[a-z2-7]{26}(?:\.r[1-9]\d{0,3})?)\.([a-z][a-z0-9-]{0,39})(?:\.c(\d{1,9}))?(?:\.r(\d{1,9}))?(?:\.(undo)(?:\.(\d{1,9}))?)?$/;

export function readOperationId(text: string): OperationName | null {
  const found = NAME.exec(text);
  if (found === null) return null;
  const [, jobId, step = '', child, round, undo, nth] = found;
  if (RESERVED_STEP_NAME.test(step)) return null;
  return {
    jobId: jobId as JobId,
    step,
    child: child === undefined ? null : Number(child),
    round: Number(round ?? 0),
    generation: undo === undefined ? null : Number(nth ?? 1) - 1,
  };
}

/** Who knows the operation: what a child calls is named after its parent. */
export function jobOf({ jobId, step, child, round }: OperationName): JobId {
  return child === null ? jobId : childIdOf(jobId, step, parentRoundOf(round), child);
}
