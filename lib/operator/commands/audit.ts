/** audit: who did or tried what, and why. */
import type { Command } from 'commander';
import type { AuditEntry } from '../../client/index.ts';
import { count } from '../input.ts';
import { LIMIT_DEFAULT, type ListOptions, pageSize, showList, take } from '../lists.ts';
import type { Outcome, Run, Session } from '../session.ts';
import { toneOf } from '../style.ts';
import { type Column, table } from '../table.ts';
import { time } from '../text.ts';

interface AuditFlags extends ListOptions {
  readonly job?: string;
  readonly actor?: string;
}

export function auditCommand(program: Command, run: Run): void {
  program
    .command('audit')
    .description('who did or tried what, newest first')
    .option('--job <job-id>', 'only what was done to this job')
    .option('--actor <actor>', 'only what this one did, such as operator:ada')
    .option('--limit <n>', 'how many', count, LIMIT_DEFAULT)
    .option('--all', 'all of it, however much')
    .addHelpText('after', EXAMPLES)
    .action(run((session, flags: AuditFlags) => audit(session, flags)));
}

const EXAMPLES = `
Examples:
  dacapo audit --job jabcdefghijklmnopqrstuvwxyz
  dacapo audit --actor operator:ada --limit 100`;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'at', cell: ({ at }) => time(at) },
  { head: 'who', cell: ({ actor }) => actor },
  { head: 'did', cell: ({ action }) => action },
  { head: 'result', cell: ({ result }) => result, tone: ({ result }) => toneOf(result) },
  { head: 'to', cell: ({ subject }) => subject },
  { head: 'why', cell: ({ reason }) => reason, gives: true },
  { head: 'refused because', cell: ({ error_code }) => error_code ?? '' },
];

async function audit(session: Session, flags: AuditFlags): Promise<Outcome> {
  const filter = { job_id: flags.job, actor: flags.actor, limit: pageSize(flags) };
  const taken = await take(session.client.audit(filter), flags);
  showList(session, taken, 'Nobody did anything.', (items) => table(session.io.out, items, COLUMNS));
  return 'done';
}
