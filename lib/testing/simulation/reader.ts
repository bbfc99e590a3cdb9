/**
 * People who only look, at any time. What they are shown is never older than what there was when they asked, is whole,
 * is theirs, and does not change behind them: a history read twice begins the same way.
 */
import { deadLetterIdOf } from '../../core/ids.ts';
import type { HistoryEntry, Job } from '../../core/job.ts';
import { listJobs, readDeadLetter, readHistory, readJob } from '../../operations/inspect.ts';
import { when } from './change-rules.ts';
import type { World } from './world.ts';

export type Look = 'job' | 'history' | 'dead_letter' | 'list';

export interface Reader {
  look(job: Job, look: Look): void;
}

const OPERATOR = { callerId: 'ada', role: 'operator' } as const;

export function reader(world: World): Reader {
  const histories = new Map<string, readonly HistoryEntry[]>();
  const complain = (rules: readonly string[], { jobId }: Job): void => {
    for (const rule of rules) world.record.breaks(`${jobId.slice(0, 6)}: ${rule}`);
  };
  return {
    look: (job, look) => {
      // As it is stored when the question is asked.
      const asked = world.jobs.get(job.jobId) ?? job;
      switch (look) {
        case 'job':
          world.start(
            'read',
            job.jobId,
            (engine) => readJob(engine, OPERATOR, job.jobId),
            (ending) => {
              if (ending.end === 'done') complain(jobRules(asked, ending.value), job);
            },
          );
          return;
        case 'history':
          world.start(
            'read',
            job.jobId,
            (engine) => readHistory(engine, OPERATOR, job.jobId),
            (ending) => {
              if (ending.end !== 'done') return;
              const entries = ending.value?.entries ?? [];
              complain(historyRules(asked, entries, histories.get(job.jobId) ?? []), job);
              histories.set(job.jobId, entries);
            },
          );
          return;
        case 'dead_letter':
          world.start(
            'read',
            job.jobId,
            (engine) => readDeadLetter(engine, OPERATOR, deadLetterIdOf(job.jobId)),
            (ending) => {
              if (ending.end !== 'done' || asked.state !== 'DEAD_LETTERED') return;
              complain(when(ending.value === null, 'I8 is dead-lettered, and its record is not there'), job);
            },
          );
          return;
        case 'list': {
          const query = {
            state: null,
            workflowType: null,
            correlationId: null,
            from: null,
            to: null,
            limit: 100,
            after: null,
          };
          const viewer = { callerId: 'bob', role: 'submitter' } as const;
          world.start(
            'read',
            null,
            (engine) => listJobs(engine, viewer, query),
            (ending) => {
              if (ending.end !== 'done') return;
              const foreign = ending.value.items.some(({ callerId }) => callerId !== viewer.callerId);
              complain(when(foreign, `I13 ${viewer.callerId} is shown jobs of others`), job);
            },
          );
          return;
        }
      }
    },
  };
}

function jobRules(asked: Job, shown: Job | null): string[] {
  if (shown === null) return ['I1 is stored, and is not shown'];
  return [
    ...when(
      shown.revision < asked.revision,
      `I7 is shown as of revision ${shown.revision}, and was at ${asked.revision}`,
    ),
    ...when(shown.input.data === undefined, 'I1 is shown without its input'),
  ];
}

function historyRules(asked: Job, shown: readonly HistoryEntry[], before: readonly HistoryEntry[]): string[] {
  const gap = shown.some((entry, index) => entry.seq !== index || entry.from !== (shown[index - 1]?.to ?? null));
  // Of two that ask at the same time, the later may be answered first.
  const known = before.slice(0, shown.length);
  const rewritten = known.some((entry, index) => JSON.stringify(entry) !== JSON.stringify(shown[index]));
  return [
    ...when(gap, 'I6 its history is shown with a gap'),
    ...when(rewritten, 'I6 its history began otherwise when it was read before'),
    ...when((shown.at(-1)?.seq ?? -1) < (asked.history.at(-1)?.seq ?? -1), 'I6 its history is shown without its end'),
  ];
}
