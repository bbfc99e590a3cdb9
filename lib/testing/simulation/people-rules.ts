/** What must be true of everything that people did, or tried: told once with who and why, or not done at all. */
import type { Done } from './people.ts';
import type { World } from './world.ts';

/** Who submitted a job may cancel it. */
function isOwners(actor: string): boolean {
  return actor.startsWith('caller:');
}

/** I15: done means in the history, once; refused means that nothing is there. */
export function brokenDeeds({ jobs }: World, deeds: readonly Done[]): string[] {
  return deeds.flatMap(({ jobId, deed, reason, end, isWrong }) => {
    const entries = [...jobs.values()].flatMap((job) =>
      job.history.filter((entry) => entry.reason.endsWith(`: ${reason}`)),
    );
    const job = jobs.get(jobId);
    const isTrimmed = (job?.history[0]?.seq ?? 0) > 0;
    if (isWrong && (entries.length > 0 || end === 'done')) return [`I15 ${deed} of ${jobId} was done, and must not be`];
    if (deed === 'discard' || isTrimmed) return [];
    // A forced end is told twice: that a person stopped it, and where it ended.
    const most = deed === 'force_close' ? 2 : 1;
    const unnamed = entries.some(({ actor }) => actor !== `operator:${reason.split(' ')[0]}` && !isOwners(actor));
    if (entries.length > most) return [`I15 ${deed} of ${jobId} was done ${entries.length} times`];
    if (unnamed) return [`I15 ${deed} of ${jobId} does not say who did it`];
    // A replay that lost against a discard has begun a job, and withdrawn it again.
    if (deed === 'replay' && end === 'refused') return [];
    if (end === 'refused' && entries.length > 0) return [`I15 ${deed} of ${jobId} was refused and done`];
    if (end === 'done' && entries.length === 0 && deed !== 'replay')
      return [`I15 ${deed} of ${jobId} was done and is not told`];
    return [];
  });
}
