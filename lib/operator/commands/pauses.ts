/** pauses list, add, release: what is held back on purpose, and how it is let go again. */
import { Argument, type Command } from 'commander';
import type { Pause, PauseScope } from '../../client/index.ts';
import { PAUSE_SCOPES } from '../../contract/requests.ts';
import { agreed } from '../confirm.ts';
import { count } from '../input.ts';
import type { Screen } from '../io.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { painter, toneOf } from '../style.ts';
import { type Column, fields, table } from '../table.ts';
import { clean, cleanJson, time } from '../text.ts';

interface AddFlags {
  readonly reason: string;
}

interface ReleaseFlags extends AddFlags {
  readonly rate: number;
  readonly dryRun?: boolean;
}

const REASON = ['--reason <why>', 'a sentence that stays in the record'] as const;

export function pauseCommands(program: Command, run: Run): void {
  const group = program.command('pauses').description('what is held back on purpose: look, add, release');
  group
    .command('list', { isDefault: true })
    .description('those in force, and those released since yesterday')
    .addHelpText('after', examples('list', 'list --json'))
    .action(run((session) => list(session)));
  group
    .command('add')
    .description('hold back a topic, dependency, workflow or caller: its jobs wait, no attempt is spent')
    .addArgument(new Argument('<scope>').choices(PAUSE_SCOPES))
    .argument('<value>')
    .requiredOption(...REASON)
    .addHelpText('after', examples("add topic payment:authorise --reason 'the bank asked us to stop'"))
    .action(run((session, scope: PauseScope, value: string, flags: AddFlags) => add(session, scope, value, flags)));
  group
    .command('release')
    .description('let what waits go on, so many jobs a second')
    .argument('<pause-id>')
    .requiredOption(...REASON)
    .requiredOption('--rate <n>', 'jobs a second', count)
    .option('--dry-run', 'change nothing, say how many jobs would go')
    .addHelpText('after', examples(`release ${ID} --rate 20 --dry-run --reason 'how many?'`, RELEASE_EXAMPLE))
    .action(run((session, id: string, flags: ReleaseFlags) => release(session, id, flags)));
}

const ID = 'pabcdefghijklmnop';
const RELEASE_EXAMPLE = `release ${ID} --rate 20 --reason 'the bank is back'`;

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  dacapo pauses ${line}`).join('\n')}`;
}

const COLUMNS: readonly Column<Pause>[] = [
  { head: 'pause', cell: ({ pause_id }) => pause_id },
  { head: 'holds', cell: ({ scope, value }) => `${scope} ${value}` },
  { head: 'status', cell: ({ status }) => status, tone: ({ status }) => toneOf(status) },
  { head: 'waiting jobs', cell: ({ waiting_jobs }) => String(waiting_jobs) },
  { head: 'since', cell: ({ since }) => time(since) },
  { head: 'by', cell: ({ actor }) => actor },
  { head: 'why', cell: ({ reason, stopped_reason }) => stopped_reason ?? reason, gives: true },
];

async function list(session: Session): Promise<Outcome> {
  const items = await session.client.pauses.list();
  if (session.json) session.io.out.write(`${cleanJson({ items: [...items] }, 2)}\n`);
  else session.io.out.write(items.length === 0 ? 'Nothing is paused.\n' : table(session.io.out, items, COLUMNS));
  return 'done';
}

async function add(session: Session, scope: PauseScope, value: string, { reason }: AddFlags): Promise<Outcome> {
  const what = `${scope} ${clean(value)}`;
  const preview = `${HOLDS[scope]}; its jobs wait, up to their deadlines. Submits are still taken.\n`;
  await agreed(session, { preview, question: `pause ${what}?` });
  return shown(session, await session.client.pauses.add({ scope, value, reason }));
}

const HOLDS: Readonly<Record<PauseScope, string>> = {
  topic: 'No call of this topic is made, also no undo and no query',
  dependency: 'No call of this dependency is made, also no undo and no query',
  workflow: 'No step of this workflow goes forward; what is being undone is undone',
  caller: 'No step of this caller goes forward; what is being undone is undone',
};

async function release(session: Session, id: string, flags: ReleaseFlags): Promise<Outcome> {
  const { client, io, json, yes } = session;
  const { reason, rate: ratePerSecond, dryRun = false } = flags;
  if (dryRun || !yes) {
    const would = await client.pauses.release(id, { ratePerSecond, dryRun: true, reason });
    const jobs = would.would_release ?? 0;
    const seconds = Math.ceil(jobs / ratePerSecond);
    const told = `${jobs} jobs would go on, ${ratePerSecond} a second: about ${seconds} s.\n`;
    if (dryRun) {
      if (json) io.out.write(`${cleanJson({ ...would }, 2)}\n`);
      else io.out.write(`${pauseView(io.out, would)}\n${told}`);
      return 'done';
    }
    await agreed(session, { preview: `${pauseView(io.err, would)}\n${told}`, question: `release ${clean(id)}?` });
  }
  return shown(session, await client.pauses.release(id, { ratePerSecond, reason }));
}

function shown(session: Session, pause: Pause): Outcome {
  show(session, { ...pause }, () => pauseView(session.io.out, pause));
  return 'done';
}

function pauseView(screen: Screen, pause: Pause): string {
  const paint = painter(screen);
  const { status, release: going } = pause;
  const head = `${pause.pause_id}  ${paint(toneOf(status), status)}  ${pause.scope} ${clean(pause.value)}\n`;
  const told = fields(screen, [
    ['since', `${time(pause.since)} by ${pause.actor}`],
    ['why', pause.reason],
    ['waiting jobs', String(pause.waiting_jobs)],
    ['released', going === null ? '' : `${going.released_jobs}, ${going.rate_per_second} a second`],
    ['failed calls', going === null ? '' : String(going.failed_calls)],
    ['stopped', pause.stopped_reason ?? ''],
  ]);
  const log = pause.log.map((one) => `  ${time(one.at)}  ${one.action} by ${clean(one.actor)}: ${clean(one.reason)}\n`);
  return `${head}${told}${log.join('')}`;
}
