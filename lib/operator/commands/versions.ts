/**
 * plan: what deploying these definitions would mean for the jobs that are running; migrate: move running jobs to another
 * version. A version that a running job needs must not go: the job would stand still until it is back.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { Job } from '../../client/index.ts';
import { agreed } from '../confirm.ts';
import { plansIn } from '../definitions.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { type Column, table } from '../table.ts';
import { clean } from '../text.ts';

interface PlanFlags {
  readonly definitions: string;
}

interface MigrateFlags {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly dryRun?: boolean;
}

export function versionCommands(program: Command, run: Run): void {
  program
    .command('plan')
    .description('what deploying these definitions means for running jobs; refuses to lose a version in use')
    .requiredOption('--definitions <file>', 'the module that is to be deployed')
    .addHelpText('after', '\nExamples:\n  dacapo plan --definitions ./lib/workflows/examples.ts')
    .action(run((session, flags: PlanFlags) => plan(session, flags)));
  program
    .command('migrate')
    .description('move running jobs of a workflow to another version')
    .argument('<type>')
    .requiredOption('--from <version>', 'the version that they have', version)
    .requiredOption('--to <version>', 'the version that they get', version)
    .requiredOption('--reason <why>', 'a sentence that stays in their histories')
    .option('--dry-run', 'only ask which could go, and why others could not')
    .addHelpText('after', "\nExamples:\n  dacapo migrate order --from 1 --to 2 --reason 'new carrier' --dry-run")
    .action(run((session, type: string, flags: MigrateFlags) => migrate(session, type, flags)));
}

function version(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('write the number of a version, from 1');
}

interface Row {
  readonly workflow: string;
  readonly version: number;
  readonly change: 'kept' | 'added' | 'removed';
  readonly running: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'workflow', cell: (row) => row.workflow },
  { head: 'version', cell: (row) => String(row.version) },
  { head: 'change', cell: (row) => row.change },
  { head: 'running jobs', cell: (row) => String(row.running) },
];

async function plan(session: Session, { definitions }: PlanFlags): Promise<Outcome> {
  const local = await plansIn(definitions);
  const deployed = await deployedVersions(session);
  const running = await runningVersions(session);
  const keys = [...new Set([...local.map(keyOf), ...deployed, ...running.keys()])].sort();
  const rows = keys.map((key): Row => {
    const [workflow = '', number = ''] = key.split(' ');
    const isLocal = local.some((one) => keyOf(one) === key);
    const change = !isLocal ? 'removed' : deployed.has(key) ? 'kept' : 'added';
    return { workflow, version: Number(number), change, running: running.get(key) ?? 0 };
  });
  const lost = rows.filter(({ change, running: jobs }) => jobs > 0 && change === 'removed');
  show(session, { versions: rows, refused: lost.length > 0 }, () => table(session.io.out, rows, COLUMNS));
  for (const row of lost) session.io.err.write(`${complaint(row)}\n`);
  return lost.length > 0 ? 'failed' : 'done';
}

function complaint({ workflow, version: number, running }: Row): string {
  const what = `${workflow} ${number} has ${running} running job${running === 1 ? '' : 's'} and would be gone`;
  return `${what}: keep it beside the new version, and remove it when its jobs have ended or were migrated`;
}

const keyOf = ({ type, version: number }: { readonly type: string; readonly version: number }): string =>
  `${type} ${number}`;

/** Whether a version is still the same, the lock file says: a bundle writes functions differently. */
async function deployedVersions({ client }: Session): Promise<Set<string>> {
  const types = (await client.workflows.list()) as unknown as readonly Deployed[];
  return new Set(
    types.flatMap((one) => one.versions.map((number) => keyOf({ type: one.workflow_type, version: number }))),
  );
}

interface Deployed {
  readonly workflow_type: string;
  readonly versions: readonly number[];
}

const RUNNING = ['PENDING', 'VALIDATING', 'PROCESSING', 'RETRY_SCHEDULED', 'COMPENSATING', 'NEEDS_REVIEW'] as const;

async function runningVersions({ client }: Session): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const state of RUNNING) {
    for await (const job of client.list({ state, limit: 100 }) as AsyncIterable<Job>) {
      const key = keyOf({ type: job.workflow_type, version: job.workflow_version });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

async function migrate(session: Session, type: string, flags: MigrateFlags): Promise<Outcome> {
  const { from, to, reason, dryRun = false } = flags;
  if (!dryRun) {
    const preview = `Every running job of ${clean(type)} ${from} goes on by version ${to}. --dry-run shows which can.\n`;
    await agreed(session, { preview, question: 'Move them?' });
  }
  let moved = 0;
  const refused = new Map<string, string>();
  for (;;) {
    const report = await session.client.workflows.migrate(type, { from, to, reason, dryRun });
    moved += report.migrated;
    for (const { job_id, reason: why } of report.refused) refused.set(job_id, why);
    // What could not go stays and is looked at again: without progress, asking again changes nothing.
    if (!report.more || dryRun || report.migrated === 0) break;
  }
  const kept = [...refused].map(([job_id, why]) => ({ job_id, reason: why }));
  const head = `${dryRun ? 'would move' : 'moved'} ${moved}, ${kept.length} cannot go\n`;
  const lines = kept.map(({ job_id, reason: why }) => `  ${clean(job_id)}: ${clean(why)}\n`);
  show(session, { migrated: moved, refused: kept, dry_run: dryRun }, () => [head, ...lines].join(''));
  return kept.length > 0 ? 'failed' : 'done';
}
