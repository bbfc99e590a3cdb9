/** Parents and children that speak through the command queue, one message each: where nothing cheaper is at hand. */
import { laneOf } from '../../core/ids.ts';
import type { CommandQueue, Family } from '../../ports.ts';

export function queueFamily(queue: CommandQueue): Family {
  return {
    start: async (callerId, jobIds) => {
      const lane = laneOf(callerId);
      for (const jobId of jobIds) await queue.send('dispatch', { kind: 'hint', jobId, revision: 0, hops: 0, lane }, 0);
    },
    report: (jobId, report) => queue.send('dispatch', { kind: 'reports', jobId, reports: [report] }, 0),
  };
}
