/** jobs list, show, history: reading, which changes nothing. */
import { type Command, Option } from 'commander';
import type { HistoryEntry, Job } from '../../client/index.ts';
import { JOB_STATES } from '../../contract/requests.ts';
import { count } from '../input.ts';
import { jobView } from '../job-view.ts';
import { LIMIT_DEFAULT, type ListOptions, pageSize, showList, take } from '../lists.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { toneOf } from '../style.ts';
import { type Column, table } from '../table.ts';
import { time } from '../text.ts';

interface JobFlags extends ListOptions {
  readonly state?: string;
  readonly workflow?: string;
  readonly correlationId?: string;
  readonly from?: string;
  readonly to?: string;
}

export function jobCommands(program: Command, run: Run): void {
  const jobs = program.command('jobs').description('look at jobs');
  jobs
    .command('list')
    .description('newest first')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(JOB_STATES))
    .option('--workflow <type>', 'only jobs of this workflow')
    .option('--correlation-id <id>', 'only jobs of this correlation id')
    .option('--from <time>', 'created at or after this time, such as 2026-01-31T08:00:00Z')
    .option('--to <time>', 'created at or before this time')
    .option('--limit <n>', 'how many', count, LIMIT_DEFAULT)
    .option('--all', 'all of them, however many')
    .addHelpText('after', LIST_EXAMPLES)
    .action(run((session, flags: JobFlags) => list(session, flags)));
  jobs
    .command('show')
    .description('everything about one job: where it stands, why, and what can be done')
    .argument('<job-id>')
    .addHelpText('after', SHOW_EXAMPLES)
    .action(run((session, jobId: string) => showJob(session, jobId)));
  jobs
    .command('history')
    .description('every change of state, oldest first')
    .argument('<job-id>')
    .addHelpText('after', HISTORY_EXAMPLES)
    .action(run((session, jobId: string) => showHistory(session, jobId)));
}

const LIST_EXAMPLES = `
Examples:
  dacapo jobs list --state NEEDS_REVIEW
  dacapo jobs list --workflow order --from 2026-01-31T00:00:00Z --all --json | jq -r '.items[].job_id'`;
const SHOW_EXAMPLES = `
Examples:
  dacapo jobs show jabcdefghijklmnopqrstuvwxyz
  dacapo jobs show jabcdefghijklmnopqrstuvwxyz --json | jq .open_effects`;
const HISTORY_EXAMPLES = `
Examples:
  dacapo jobs history jabcdefghijklmnopqrstuvwxyz`;

const COLUMNS: readonly Column<Job>[] = [
  { head: 'job', cell: ({ job_id }) => job_id },
  { head: 'workflow', cell: ({ workflow_type }) => workflow_type },
  { head: 'state', cell: ({ current_state }) => current_state, tone: ({ current_state }) => toneOf(current_state) },
  { head: 'outcome', cell: ({ outcome }) => outcome ?? '' },
  { head: 'created', cell: ({ created_at }) => time(created_at) },
  { head: 'last error', cell: ({ last_error_code }) => last_error_code ?? '', gives: true },
];

async function list(session: Session, flags: JobFlags): Promise<Outcome> {
  const { state, workflow, correlationId, from, to } = flags;
  const filter = { state, workflow_type: workflow, correlation_id: correlationId, from, to, limit: pageSize(flags) };
  const taken = await take(session.client.list(filter), flags);
  showList(session, taken, 'No such jobs.', (items) => table(session.io.out, items, COLUMNS));
  return 'done';
}

async function showJob(session: Session, jobId: string): Promise<Outcome> {
  const job = await session.client.get(jobId);
  show(session, job, () => jobView(session.io.out, job));
  return 'done';
}

const HISTORY_COLUMNS: readonly Column<HistoryEntry>[] = [
  { head: '#', cell: ({ seq }) => String(seq) },
  { head: 'at', cell: ({ occurred_at }) => time(occurred_at) },
  { head: 'from', cell: ({ from_state }) => from_state ?? '' },
  { head: 'to', cell: ({ to_state }) => to_state, tone: ({ to_state }) => toneOf(to_state) },
  { head: 'who', cell: ({ actor }) => actor },
  { head: 'step', cell: ({ step }) => step ?? '' },
  { head: 'error', cell: ({ error_code }) => error_code ?? '' },
  { head: 'why', cell: ({ transition_reason }) => transition_reason, gives: true },
  { head: 'evidence', cell: ({ evidence }) => evidence ?? '', gives: true },
];

async function showHistory(session: Session, jobId: string): Promise<Outcome> {
  const items = await session.client.history(jobId);
  const said = HISTORY_COLUMNS.filter(({ cell }) => items.some((entry) => cell(entry) !== ''));
  show(session, { items }, () => table(session.io.out, items, said));
  return 'done';
}
