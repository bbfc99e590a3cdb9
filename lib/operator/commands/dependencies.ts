/** dependencies list, show, open, close, probe: what the orchestrator calls, and whether it may be called now. */
import type { Command } from 'commander';
import type { Dependency } from '../../client/index.ts';
import { agreed } from '../confirm.ts';
import type { Screen } from '../io.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { painter, toneOf } from '../style.ts';
import { type Column, fields, table } from '../table.ts';
import { clean, cleanJson, time } from '../text.ts';

interface WhyFlags {
  readonly reason: string;
}

export function dependencyCommands(program: Command, run: Run): void {
  const group = program.command('dependencies').description('breakers and health of what is called');
  group
    .command('list', { isDefault: true })
    .description('all of them')
    .addHelpText('after', examples('list', 'list --json'))
    .action(run((session) => list(session)));
  group
    .command('show')
    .description('one, with its topics and the newest turns of its breaker')
    .argument('<dependency-id>')
    .addHelpText('after', examples('show payment'))
    .action(run((session, id: string) => showOne(session, id)));
  group
    .command('open')
    .description('stop all calls of it: its jobs wait until somebody closes it')
    .argument('<dependency-id>')
    .requiredOption('--reason <why>', 'a sentence that stays in the record')
    .addHelpText('after', examples("open payment --reason 'maintenance until 10:00'"))
    .action(run((session, id: string, { reason }: WhyFlags) => setBreaker(session, id, 'OPEN', reason)));
  group
    .command('close')
    .description('let calls through again; jobs that wait come back at its release rate')
    .argument('<dependency-id>')
    .requiredOption('--reason <why>', 'a sentence that stays in the record')
    .addHelpText('after', examples("close payment --reason 'maintenance is over'"))
    .action(run((session, id: string, { reason }: WhyFlags) => setBreaker(session, id, 'CLOSED', reason)));
  group
    .command('probe')
    .description('find out now whether it is back')
    .argument('<dependency-id>')
    .addHelpText('after', examples('probe payment'))
    .action(run((session, id: string) => probe(session, id)));
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  dacapo dependencies ${line}`).join('\n')}`;
}

const COLUMNS: readonly Column<Dependency>[] = [
  { head: 'dependency', cell: ({ dependency_id }) => dependency_id },
  { head: 'status', cell: ({ status }) => status, tone: ({ status }) => toneOf(status) },
  { head: 'breaker', cell: ({ breaker }) => breaker, tone: ({ breaker }) => toneOf(breaker) },
  { head: 'waiting jobs', cell: ({ parked_jobs }) => String(parked_jobs) },
  { head: 'checked', cell: ({ last_checked_at }) => (last_checked_at === null ? '' : time(last_checked_at)) },
  { head: 'next probe', cell: ({ probe_at }) => (probe_at === null ? '' : time(probe_at)) },
  { head: 'notes', cell: ({ notes }) => notes ?? '', gives: true },
];

async function list(session: Session): Promise<Outcome> {
  const items = await session.client.dependencies.list();
  if (session.json) session.io.out.write(`${cleanJson({ items: [...items] }, 2)}\n`);
  else session.io.out.write(items.length === 0 ? 'No dependencies.\n' : table(session.io.out, items, COLUMNS));
  return 'done';
}

async function showOne(session: Session, id: string): Promise<Outcome> {
  return shown(session, await session.client.dependencies.get(id));
}

async function setBreaker(session: Session, id: string, state: 'OPEN' | 'CLOSED', reason: string): Promise<Outcome> {
  const { client, io } = session;
  if (!session.yes && state === 'OPEN') {
    const preview = `${dependencyView(io.err, await client.dependencies.get(id))}\nNothing calls it until it is closed again; its jobs wait, up to their deadlines.\n`;
    await agreed(session, { preview, question: `open ${clean(id)}?` });
  }
  return shown(session, await client.dependencies.setBreaker(id, { state, reason }));
}

async function probe(session: Session, id: string): Promise<Outcome> {
  return shown(session, await session.client.dependencies.probe(id));
}

function shown(session: Session, dependency: Dependency): Outcome {
  show(session, { ...dependency }, () => dependencyView(session.io.out, dependency));
  return 'done';
}

function dependencyView(screen: Screen, dependency: Dependency): string {
  const paint = painter(screen);
  const { breaker, status } = dependency;
  const head = `${clean(dependency.dependency_id)}  ${paint(toneOf(breaker), breaker)}  ${paint(toneOf(status), status)}\n`;
  const at = (moment: string | null): string => (moment === null ? '' : time(moment));
  const told = fields(screen, [
    ['open since', at(dependency.opened_at)],
    ['next probe', at(dependency.probe_at)],
    ['waiting jobs', String(dependency.parked_jobs)],
    ['failures', String(dependency.failures_in_window)],
    ['checked', at(dependency.last_checked_at)],
    ['notes', dependency.notes ?? ''],
    ['topics', dependency.topics.join(', ')],
  ]);
  const log = dependency.log.map(
    (entry) => `  ${time(entry.at)}  ${entry.action} by ${clean(entry.actor)}: ${clean(entry.reason)}\n`,
  );
  return `${head}${told}${log.join('')}`;
}
