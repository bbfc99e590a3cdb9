/** schedules list, show, set, pause, resume, remove: workflows that start by the clock. */
import { type Command, Option } from 'commander';
import type { Schedule } from '../../client/index.ts';
import { agreed } from '../confirm.ts';
import { count, readJson, wholeFrom } from '../input.ts';
import { LIMIT_DEFAULT, type ListOptions, showList, take } from '../lists.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { toneOf } from '../style.ts';
import { type Column, fields, table } from '../table.ts';
import { clean, cleanJson, time } from '../text.ts';

interface SetFlags {
  readonly workflow: string;
  readonly version?: number;
  readonly when: string;
  readonly timezone?: string;
  readonly overlap?: 'skip' | 'queue' | 'allow';
  readonly makeUp?: number;
  readonly makeUpWithin?: number;
  readonly paused?: boolean;
  readonly reason?: string;
}

interface ActFlags {
  readonly reason: string;
}

const REASON = ['--reason <why>', 'a sentence that stays in the audit'] as const;

export function scheduleCommands(program: Command, run: Run): void {
  const schedules = program.command('schedules').description('workflows that start by the clock: look, set, pause');
  schedules
    .command('list')
    .description('by name, with when they come round next')
    .option('--limit <n>', 'how many', count, LIMIT_DEFAULT)
    .option('--all', 'all of them, however many')
    .addHelpText('after', examples('list'))
    .action(run((session, flags: ListOptions) => list(session, flags)));
  schedules
    .command('show')
    .description('one schedule, and what became of its last ticks')
    .argument('<name>')
    .addHelpText('after', examples('show nightly'))
    .action(run((session, name: string) => showOne(session, name)));
  setCommand(schedules, run);
  const act = (name: 'pause' | 'resume', says: string, example: string): void => {
    schedules
      .command(name)
      .description(says)
      .argument('<name>')
      .requiredOption(...REASON)
      .addHelpText('after', examples(`${name} nightly ${example}`))
      .action(run((session, schedule: string, flags: ActFlags) => acted(session, name, schedule, flags)));
  };
  act('pause', 'no ticks until it is resumed; nothing makes up for them', "--reason 'the source is down'");
  act('resume', 'go on with the next tick', "--reason 'the source is back'");
  schedules
    .command('remove')
    .description('no ticks any more; its jobs stay')
    .argument('<name>')
    .requiredOption(...REASON)
    .addHelpText('after', examples("remove nightly --reason 'the report is gone'"))
    .action(run((session, name: string, flags: ActFlags) => remove(session, name, flags)));
}

function setCommand(schedules: Command, run: Run): void {
  schedules
    .command('set')
    .description('make a schedule, or replace what it was')
    .argument('<name>')
    .argument('<input>', 'what each tick submits: JSON, @file, or @- for standard input')
    .requiredOption('--workflow <type>', 'the workflow to start')
    .option('--version <n>', 'this version of it (default: the newest when a tick comes)', count)
    .requiredOption('--when <expression>', "when: 'cron(0 8 * * MON-FRI)' or 'rate(5 minutes)'")
    .option('--timezone <name>', 'on whose wall cron reads the clock (default: UTC)')
    .addOption(
      new Option('--overlap <policy>', 'what becomes of a tick while the job of the one before runs').choices([
        'skip',
        'queue',
        'allow',
      ]),
    )
    .option('--make-up <n>', 'how many missed ticks are made up for (default: 1)', wholeFrom(0))
    .option('--make-up-within <seconds>', 'none that is older (default: a day)', wholeFrom(0))
    .option('--paused', 'set it and let it rest')
    .option('--reason <why>', 'a sentence that stays in the audit')
    .addHelpText(
      'after',
      examples(
        `set news '{"question":"what is new?"}' --workflow research --when 'cron(0 8 * * MON-FRI)' --timezone Europe/Berlin`,
        `set often @input.json --workflow research --when 'rate(15 minutes)' --overlap queue`,
      ),
    )
    .action(run((session, name: string, input: string, flags: SetFlags) => set(session, name, input, flags)));
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  dacapo schedules ${line}`).join('\n')}`;
}

const COLUMNS: readonly Column<Schedule>[] = [
  { head: 'schedule', cell: ({ name }) => name },
  { head: 'workflow', cell: ({ workflow_type }) => workflow_type, gives: true },
  { head: 'when', cell: ({ expression }) => expression },
  { head: 'time zone', cell: ({ timezone }) => timezone },
  { head: 'next', cell: ({ paused, next_tick_at }) => (paused ? 'paused' : time(next_tick_at)) },
  {
    head: 'last',
    cell: ({ ticks }) => ticks.at(-1)?.status ?? '',
    tone: ({ ticks }) => toneOf(ticks.at(-1)?.status ?? ''),
  },
];

const TICKS: readonly Column<Schedule['ticks'][number]>[] = [
  { head: 'tick', cell: ({ at }) => time(at) },
  { head: 'became', cell: ({ status }) => status, tone: ({ status }) => toneOf(status) },
  { head: 'job', cell: ({ job_id }) => job_id ?? '' },
  { head: 'because', cell: ({ reason }) => reason ?? '', gives: true },
];

async function list(session: Session, flags: ListOptions): Promise<Outcome> {
  const taken = await take(session.client.schedules.list(), flags);
  showList(session, taken, 'No schedules.', (items) => table(session.io.out, items, COLUMNS));
  return 'done';
}

async function showOne(session: Session, name: string): Promise<Outcome> {
  return told(session, await session.client.schedules.get(name));
}

async function set(session: Session, name: string, said: string, flags: SetFlags): Promise<Outcome> {
  const input = await readJson(session.io, '<input>', said);
  const { workflow, version, when, timezone, overlap, makeUp, makeUpWithin, paused, reason } = flags;
  const makesUp = makeUp !== undefined || makeUpWithin !== undefined;
  const schedule = await session.client.schedules.set(name, {
    workflow_type: workflow,
    workflow_version: version,
    input,
    expression: when,
    timezone,
    overlap,
    backfill: makesUp ? backfillOf(makeUp, makeUpWithin) : undefined,
    paused,
    reason,
  });
  return told(session, schedule);
}

function backfillOf(ticks: number | undefined, seconds: number | undefined) {
  return {
    ...(ticks === undefined ? {} : { max_ticks: ticks }),
    ...(seconds === undefined ? {} : { within_seconds: seconds }),
  };
}

async function acted(session: Session, name: 'pause' | 'resume', schedule: string, act: ActFlags): Promise<Outcome> {
  return told(session, await session.client.schedules[name](schedule, { reason: act.reason }));
}

async function remove(session: Session, name: string, { reason }: ActFlags): Promise<Outcome> {
  const { client, io, yes } = session;
  if (!yes) {
    const preview = `${view(session, await client.schedules.get(name))}\nIt starts no job any more. The jobs that it started stay.\n`;
    await agreed(session, { preview, question: `remove ${name}?` });
  }
  const removed = await client.schedules.remove(name, { reason });
  show(session, removed, () => `${clean(removed.name)}  removed\n${fields(io.out, [['why', clean(removed.reason)]])}`);
  return 'done';
}

function told(session: Session, schedule: Schedule): Outcome {
  show(session, schedule, () => view(session, schedule));
  return 'done';
}

function view({ io }: Session, schedule: Schedule): string {
  const { name, paused, workflow_type, workflow_version, backfill, ticks } = schedule;
  const facts = fields(io.out, [
    ['when', `${clean(schedule.expression)} ${clean(schedule.timezone)}`],
    ['next', paused ? 'paused' : time(schedule.next_tick_at)],
    ['overlap', schedule.overlap],
    ['makes up', `${backfill.max_ticks} missed within ${backfill.within_seconds} s`],
    ['version', workflow_version === null ? 'the newest' : String(workflow_version)],
    ['caller', clean(schedule.caller_id)],
    ['set by', `${clean(schedule.updated_by)} ${time(schedule.updated_at)}: ${clean(schedule.reason)}`],
    ['revision', String(schedule.revision)],
    ['jobs', `dacapo jobs list --correlation-id ${clean(schedule.correlation_id)}`],
  ]);
  const head = `${clean(name)}  ${clean(workflow_type)}${paused ? '  paused' : ''}\n`;
  const input = `\ninput\n  ${cleanJson(schedule.input, 2).replaceAll('\n', '\n  ')}\n`;
  return `${head}${facts}${ticks.length === 0 ? '' : `\n${table(io.out, ticks, TICKS)}`}${input}`;
}
