/** The hint that a job should be looked at, in the lane of its caller: whose many jobs wait only for each other. */
import { laneOf } from '../core/ids.ts';
import type { Job } from '../core/job.ts';
import type { Message } from '../ports.ts';

/** @param hops hand-overs behind this one */
export function hintFor(
  { jobId, revision, callerId }: Pick<Job, 'jobId' | 'revision' | 'callerId'>,
  hops = 0,
): Message {
  return { kind: 'hint', jobId, revision, hops, lane: laneOf(callerId) };
}
