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
  target?: string,
];

export function encodePast({ step, round, generation, appliedAt, output, target }: PastOperation): StoredPast {
  const told = [step, round, generation, appliedAt, output === null ? null : encodeValue(output)] as const;
  return target === null ? told : [...told, target];
}

export function decodePast([step, round, generation, appliedAt, output, target]: StoredPast): PastOperation {
  const read = output === null ? null : decodeValue(output);
  return { step, round, generation, appliedAt, output: read, target: target ?? null };
}
