/**
 * People who only look, at any time. What they are shown is never older than what there was when they asked, is whole,
 * is theirs, and does not change behind them: a history read twice begins the same way.
 */
import { deadLetterIdOf, type JobId } from '../../core/ids.ts';
import type { HistoryEntry, Job } from '../../core/job.ts';
import type { Engine } from '../../operations/engine.ts';
import { listJobs, readDeadLetter, readHistory, readJob } from '../../operations/inspect.ts';
import { when } from './change-rules.ts';
import type { World } from './world.ts';

export type Look = 'job' | 'history' | 'dead_letter' | 'list';

export interface Reader {
  look(job: Job, look: Look): void;
}

export function reader(world: World): Reader {
  const histories = new Map<string, readonly HistoryEntry[]>();
  return {
    look: (job, look) => {
      const { jobId } = job;
      // As it is stored when the question is asked.
      const asked = world.jobs.get(jobId) ?? job;
      switch (look) {
        case 'job':
          ask(
            world,
            jobId,
            (engine) => readJob(engine, OPERATOR, jobId),
            (shown) => jobRules(asked, shown),
          );
          return;
        case 'history':
          ask(
            world,
            jobId,
            (engine) => readHistory(engine, OPERATOR, jobId),
            (shown) => {
              const before = histories.get(jobId) ?? [];
              histories.set(jobId, shown?.entries ?? []);
              return historyRules(asked, shown?.entries ?? [], before);
            },
          );
          return;
        case 'dead_letter':
          ask(
            world,
            jobId,
            (engine) => readDeadLetter(engine, OPERATOR, deadLetterIdOf(jobId)),
            (shown) =>
              when(
                asked.state === 'DEAD_LETTERED' && shown === null,
                'I8 is dead-lettered, and its record is not there',
              ),
          );
          return;
        case 'list':
          ask(
            world,
            null,
            (engine) => listJobs(engine, SUBMITTER, EVERYTHING),
            ({ items }) =>
              when(
                items.some(({ callerId }) => callerId !== SUBMITTER.callerId),
                'I13 is shown to another caller',
              ),
          );
          return;
      }
    },
  };
}

const OPERATOR = { callerId: 'ada', role: 'operator' } as const;
const SUBMITTER = { callerId: 'bob', role: 'submitter' } as const;
const EVERYTHING = {
  state: null,
  workflowType: null,
  correlationId: null,
  from: null,
  to: null,
  limit: 100,
  after: null,
};

function ask<T>(
  world: World,
  jobId: JobId | null,
  question: (engine: Engine) => Promise<T>,
  judge: (shown: T) => readonly string[],
): void {
  world.start('read', jobId, question, (ending) => {
    if (ending.end !== 'done') return;
    for (const rule of judge(ending.value)) world.record.breaks(`${(jobId ?? 'a job').slice(0, 6)}: ${rule}`);
  });
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
