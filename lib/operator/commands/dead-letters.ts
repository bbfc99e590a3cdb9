/** dead-letters list, show, replay, discard: jobs in quarantine, and what a person makes of them. */
import { type Command, Option } from 'commander';
import type { DeadLetter } from '../../client/index.ts';
import type { Json } from '../../contract/json.ts';
import { DEAD_LETTER_REASONS, DEAD_LETTER_STATUSES } from '../../contract/requests.ts';
import { agreed } from '../confirm.ts';
import { deadLetterView } from '../dead-letter-view.ts';
import { count, readJson } from '../input.ts';
import { headline } from '../job-view.ts';
import { LIMIT_DEFAULT, type ListOptions, pageSize, showList, take } from '../lists.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { toneOf } from '../style.ts';
import { type Column, fields, table } from '../table.ts';
import { clean, cleanJson, time } from '../text.ts';
import { watch } from '../watch.ts';

interface ListFlags extends ListOptions {
  readonly reason?: string;
  readonly workflow?: string;
  readonly status?: string;
}

interface SettleFlags {
  readonly reason: string;
  readonly input?: string;
  readonly watch?: boolean;
}

export function deadLetterCommands(program: Command, run: Run): void {
  const letters = program.command('dead-letters').description('jobs in quarantine: look, replay, discard');
  letters
    .command('list')
    .description('newest first')
    .addOption(new Option('--reason <reason>', 'only those quarantined for this').choices(DEAD_LETTER_REASONS))
    .option('--workflow <type>', 'only those of this workflow')
    .addOption(new Option('--status <status>', 'only those that stand so').choices(DEAD_LETTER_STATUSES))
    .option('--limit <n>', 'how many', count, LIMIT_DEFAULT)
    .option('--all', 'all of them, however many')
    .addHelpText('after', examples('list --status open', 'list --reason compensation_failed --json'))
    .action(run((session, flags: ListFlags) => list(session, flags)));
  letters
    .command('show')
    .description('one record with its payload, errors and history')
    .argument('<dead-letter-id>')
    .addHelpText('after', examples(`show ${ID}`))
    .action(run((session, id: string) => showOne(session, id)));
  letters
    .command('replay')
    .description('submit it again as a new job, with new operations')
    .argument('<dead-letter-id>')
    .requiredOption('--reason <why>', 'a sentence that stays in the record')
    .option('--input <json>', 'another input in place of the original one: JSON or @file')
    .option('--watch', 'follow the new job live')
    .addHelpText(
      'after',
      examples(`replay ${ID} --reason 'billing is back'`, `replay ${ID} --reason 'typo' --input @fixed.json`),
    )
    .action(run((session, id: string, flags: SettleFlags) => replay(session, id, flags)));
  letters
    .command('discard')
    .description('give it up for good')
    .argument('<dead-letter-id>')
    .requiredOption('--reason <why>', 'a sentence that stays in the record')
    .addHelpText('after', examples(`discard ${ID} --reason 'submitted anew by the customer'`))
    .action(run((session, id: string, flags: SettleFlags) => discard(session, id, flags)));
}

const ID = 'djabcdefghijklmnopqrstuvwxyz';

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  dacapo dead-letters ${line}`).join('\n')}`;
}

const COLUMNS: readonly Column<DeadLetter>[] = [
  { head: 'dead letter', cell: ({ dead_letter_id }) => dead_letter_id },
  { head: 'workflow', cell: ({ workflow_type }) => workflow_type },
  { head: 'reason', cell: ({ reason }) => reason },
  { head: 'status', cell: ({ status }) => status, tone: ({ status }) => toneOf(status) },
  { head: 'since', cell: ({ quarantined_at }) => time(quarantined_at) },
  { head: 'error', cell: ({ failure_error_code }) => String(failure_error_code ?? '') },
  { head: 'summary', cell: ({ failure_summary }) => String(failure_summary ?? ''), gives: true },
];

async function list(session: Session, flags: ListFlags): Promise<Outcome> {
  const { reason, workflow, status } = flags;
  const filter = { reason, workflow_type: workflow, status, limit: pageSize(flags) };
  const taken = await take(session.client.deadLetters.list(filter), flags);
  showList(session, taken, 'No such dead letters.', (items) => table(session.io.out, items, COLUMNS));
  return 'done';
}

async function showOne(session: Session, id: string): Promise<Outcome> {
  const record = await session.client.deadLetters.get(id);
  show(session, record, () => deadLetterView(session.io.out, record));
  return 'done';
}

async function replay(session: Session, id: string, flags: SettleFlags): Promise<Outcome> {
  const { client, io } = session;
  const input = flags.input === undefined ? undefined : await readJson(io, '--input', flags.input);
  if (!session.yes) await asked(session, await client.deadLetters.get(id), 'replay', input);
  const job = await client.deadLetters.replay(id, { reason: flags.reason, input });
  if (flags.watch === true) return watch(session, job.job_id);
  show(session, job, () => `${headline(io.out, job)}${fields(io.out, [['follow', `dacapo watch ${job.job_id}`]])}`);
  return 'done';
}

async function discard(session: Session, id: string, { reason }: SettleFlags): Promise<Outcome> {
  const { client, io } = session;
  if (!session.yes) await asked(session, await client.deadLetters.get(id), 'discard', undefined);
  const record = await client.deadLetters.discard(id, { reason });
  show(session, record, () => deadLetterView(io.out, record));
  return 'done';
}

async function asked(session: Session, record: DeadLetter, what: 'replay' | 'discard', input: Json | undefined) {
  const consequence =
    what === 'discard' ? 'It is given up for good: nobody can replay it any more.' : replayed(record, input);
  const preview = `${deadLetterView(session.io.err, record)}\n${consequence}\n`;
  await agreed(session, { preview, question: `${what} ${record.dead_letter_id}?` });
}

function replayed({ workflow_type, open_effects }: DeadLetter, input: Json | undefined): string {
  const what = input === undefined ? 'the original input' : `another input:\n${cleanJson(input, 2)}\n`;
  const left = Array.isArray(open_effects) && open_effects.length > 0;
  const warning = left ? '\nIt does not undo, and does not know, what the first job has left behind.' : '';
  return `A new job of ${clean(workflow_type)} is submitted with ${what}. A dead letter is replayed once.${warning}`;
}
