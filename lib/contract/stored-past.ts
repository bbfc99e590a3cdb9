/** Operations of earlier rounds as stored: tuples, for there may be many and most say little. */
import type { EpochMs } from '../core/ids.ts';
import type { PastOperation } from '../core/job.ts';
import { decodeValue, encodeValue, type StoredValue } from './stored-step.ts';

export type StoredPast = readonly [
  step: string,
  round: number,
  generation: number | null,
  appliedAt: EpochMs | null,
  output: StoredValue | null,
];

export function encodePast({ step, round, generation, appliedAt, output }: PastOperation): StoredPast {
  return [step, round, generation, appliedAt, output === null ? null : encodeValue(output)];
}

export function decodePast([step, round, generation, appliedAt, output]: StoredPast): PastOperation {
  return { step, round, generation, appliedAt, output: output === null ? null : decodeValue(output) };
}
