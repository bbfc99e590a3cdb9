/** submit and watch: a job begins, and somebody looks on. */
import type { Command } from 'commander';
import { isAtRest, type Job } from '../../client/index.ts';
import { count, readJson } from '../input.ts';
import { headline, jobView } from '../job-view.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { fields } from '../table.ts';
import { watch } from '../watch.ts';

interface SubmitFlags {
  readonly key?: string;
  readonly correlationId?: string;
  readonly workflowVersion?: number;
  readonly wait?: boolean;
  readonly watch?: boolean;
}

export function submitCommands(program: Command, run: Run): void {
  program
    .command('submit')
    .description('submit a job')
    .argument('<workflow>', 'type of the workflow')
    .argument('<input>', 'its input: JSON, @file or @- for standard input')
    .option('--key <key>', 'idempotency key: the same key and input again is the same job')
    .option('--correlation-id <id>', 'your own id for what this belongs to')
    .option('--workflow-version <n>', 'version of the definition (default: the newest)', count)
    .option('-w, --wait', 'wait for the end and show the job')
    .option('--watch', 'follow it live')
    .addHelpText('after', SUBMIT_EXAMPLES)
    .action(run((session, type: string, input: string, flags: SubmitFlags) => submit(session, type, input, flags)));
  program
    .command('watch')
    .description('follow a job live until it ends or needs a person')
    .argument('<job-id>')
    .addHelpText('after', WATCH_EXAMPLES)
    .action(run((session, jobId: string) => watch(session, jobId)));
}

const SUBMIT_EXAMPLES = `
Examples:
  dacapo submit signup '{"company":"Acme","email":"ada@example.com","plan":"free"}' --wait
  dacapo submit order @order.json --key order-4711 --watch
  cat order.json | dacapo submit order @- --json`;

const WATCH_EXAMPLES = `
Examples:
  dacapo watch jabcdefghijklmnopqrstuvwxyz
  dacapo watch jabcdefghijklmnopqrstuvwxyz --json | jq -r .current_state

Exits with 0 when the job completed, with 1 when it ended otherwise or needs a person.`;

async function submit(session: Session, type: string, said: string, flags: SubmitFlags): Promise<Outcome> {
  const { client, io } = session;
  const input = await readJson(io, 'input', said);
  const { job, replayed, idempotencyKey } = await client.submit(type, input, {
    idempotencyKey: flags.key,
    correlationId: flags.correlationId,
    version: flags.workflowVersion,
  });
  if (flags.watch === true) return watch(session, job.job_id);
  if (flags.wait === true) return settled(session, await client.wait(job.job_id));
  show(session, { ...job, idempotency_replayed: replayed }, () => accepted(session, job, idempotencyKey, replayed));
  return 'done';
}

function settled(session: Session, job: Job): Outcome {
  show(session, job, () => jobView(session.io.out, job));
  return job.current_state === 'COMPLETED' ? 'done' : 'failed';
}

function accepted({ io }: Session, job: Job, key: string, replayed: boolean): string {
  const told = fields(io.out, [
    ['key', key],
    ['submitted before', replayed ? 'yes, this is the job of that submit' : ''],
    [isAtRest(job) ? 'look' : 'follow', `dacapo ${isAtRest(job) ? 'jobs show' : 'watch'} ${job.job_id}`],
  ]);
  return `${headline(io.out, job)}${told}`;
}
