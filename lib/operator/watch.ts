/**
 * Follows a job until it rests. On a terminal one picture is drawn again and again; elsewhere every moment is a line, and
 * with --json every change is a document. Watching only reads: whoever stops it stops nothing else.
 */
import { type HistoryEntry, isAtRest, type Job } from '../client/index.ts';
import { type Moment, momentsOf } from './moments.ts';
import { drawPicture } from './picture.ts';
import type { Outcome, Session } from './session.ts';
import { painter } from './style.ts';
import { clean, cleanJson, clock, padded } from './text.ts';

/** Often enough to look live; a second is what a person still reads as live once not much happens. */
const LOOK_MS_FIRST = 150;
const LOOK_MS_MAX = 1_000;

interface Sight {
  readonly job: Job;
  readonly history: readonly HistoryEntry[];
  readonly over: boolean;
}

type View = (sight: Sight) => void;

export async function watch(session: Session, jobId: string): Promise<Outcome> {
  const { client, io } = session;
  const view = viewFor(session);
  let history = await client.history(jobId);
  let revision = -1;
  for (let pauseMs = LOOK_MS_FIRST; ; pauseMs = Math.min(pauseMs * 1.5, LOOK_MS_MAX)) {
    const job = await client.get(jobId);
    if (job.revision !== revision) pauseMs = LOOK_MS_FIRST;
    revision = job.revision;
    history = continued(history, job.state_history) ?? (await client.history(jobId));
    const over = isAtRest(job);
    view({ job, history, over });
    if (over) return job.current_state === 'COMPLETED' ? 'done' : 'failed';
    await io.sleep(pauseMs);
  }
}

/** A job shows its newest entries only; null when some lie between those and what is known. */
function continued(known: readonly HistoryEntry[], shown: readonly HistoryEntry[]): readonly HistoryEntry[] | null {
  const last = known.at(-1)?.seq ?? -1;
  const first = shown[0]?.seq ?? 0;
  return first > last + 1 ? null : [...known, ...shown.filter(({ seq }) => seq > last)];
}

function viewFor(session: Session): View {
  if (session.json) return documents(session);
  return session.io.out.columns() === null ? lines(session) : picture(session);
}

function documents({ io }: Session): View {
  let told = -1;
  return ({ job }) => {
    if (job.revision === told) return;
    told = job.revision;
    io.out.write(`${cleanJson(job)}\n`);
  };
}

function lines({ io }: Session): View {
  const told = new Set<string>();
  return ({ job, history }) => {
    for (const moment of momentsOf(job, history)) {
      if (told.has(moment.key)) continue;
      told.add(moment.key);
      io.out.write(`${momentLine(io.out, moment)}\n`);
    }
  };
}

export function momentLine(screen: Session['io']['out'], { at, subject, word, tone, more }: Moment): string {
  const paint = painter(screen);
  const when = paint('quiet', clock(at));
  return `${when}  ${padded(clean(subject), 14)}  ${paint(tone, padded(word, 18))}  ${clean(more)}`.trimEnd();
}

function picture({ io }: Session): View {
  let drawn = 0;
  return ({ job, history, over }) => {
    const frame = drawPicture(io.out, job, momentsOf(job, history), io.now(), over);
    const erase = drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`;
    io.out.write(erase + frame);
    drawn = frame.split('\n').length - 1;
  };
}
