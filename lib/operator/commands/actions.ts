/**
 * What a person does to one job. Each action names its reason; each that cannot be taken back shows the job first and
 * acts on the revision that was shown, so that what was agreed to is what is done.
 */
import { type Command, Option } from 'commander';
import type { Act, Client, Job } from '../../client/index.ts';
import { agreed } from '../confirm.ts';
import { readJson } from '../input.ts';
import { headline, jobView } from '../job-view.ts';
import { type ActionName, preview, type ResolutionSaid } from '../preview.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { fields } from '../table.ts';

interface ActFlags {
  readonly reason: string;
}

interface ResolveFlags extends ActFlags, ResolutionSaid {
  readonly output?: string;
  readonly evidence?: string;
}

const REASON = ['--reason <why>', 'a sentence that stays in the history'] as const;

export function actionCommands(program: Command, run: Run): void {
  const action = (name: string, says: string, example: string): Command =>
    program
      .command(name)
      .description(says)
      .argument('<job-id>')
      .requiredOption(...REASON)
      .addHelpText('after', `\nExamples:\n  dacapo ${name} jabcdefghijklmnopqrstuvwxyz ${example}`);
  action('cancel', 'stop a job and undo what it did', "--reason 'customer withdrew'").action(
    run((session, jobId: string, flags: ActFlags) => act(session, jobId, flags, 'cancel', session.client.cancel)),
  );
  action('resume', 'send a job in review on, with fresh attempts', "--reason 'billing is back'").action(
    run((session, jobId: string, flags: ActFlags) => resume(session, jobId, flags)),
  );
  action('retry-compensation', 'call the undo of what is left again', "--reason 'contract settled'").action(
    run((session, jobId: string, flags: ActFlags) =>
      act(session, jobId, flags, 'retry-compensation', session.client.retryCompensation),
    ),
  );
  action('resolve', 'say what became of a step, having looked', RESOLVE_EXAMPLE)
    .requiredOption('--step <step>', 'the step you know about')
    .addOption(
      new Option('--as <what>', 'what became of its effect')
        .choices(['applied', 'not_applied', 'compensated'])
        .makeOptionMandatory(),
    )
    .option('--output <json>', 'what the participant answered, if it is known: JSON or @file')
    .option('--evidence <text>', 'how you know, or where that can be found')
    .action(run((session, jobId: string, flags: ResolveFlags) => resolve(session, jobId, flags)));
  action('close', 'end a job in review of which nothing is open', "--reason 'settled by hand'").action(
    run((session, jobId: string, flags: ActFlags) => act(session, jobId, flags, 'close', session.client.close)),
  );
  action('force-close', 'end a job and leave its effects behind', "--reason 'service was shut down for good'").action(
    run((session, jobId: string, flags: ActFlags) => forceClose(session, jobId, flags)),
  );
}

const RESOLVE_EXAMPLE =
  "--step payment --as not_applied \\\n    --reason 'looked it up at the bank' --evidence 'no entry under this reference'";

async function act(
  session: Session,
  jobId: string,
  { reason }: ActFlags,
  name: ActionName,
  send: Client['cancel'],
): Promise<Outcome> {
  const { revision } = await consented(session, jobId, name);
  return told(session, await send(jobId, { reason, ...revision }));
}

/** It can be cancelled again, so nobody is asked. */
async function resume(session: Session, jobId: string, { reason }: ActFlags): Promise<Outcome> {
  return told(session, await session.client.resume(jobId, { reason }));
}

async function resolve(session: Session, jobId: string, flags: ResolveFlags): Promise<Outcome> {
  const { reason, step, as, evidence } = flags;
  const output = flags.output === undefined ? undefined : await readJson(session.io, '--output', flags.output);
  const { revision } = await consented(session, jobId, 'resolve', flags);
  const resolution = as as 'applied' | 'not_applied' | 'compensated';
  return told(
    session,
    await session.client.resolve(jobId, { reason, step, resolution, output, evidence, ...revision }),
  );
}

async function forceClose(session: Session, jobId: string, { reason }: ActFlags): Promise<Outcome> {
  const { revision } = await consented(session, jobId, 'force-close');
  return told(session, await session.client.forceClose(jobId, { reason, confirm: jobId, ...revision }));
}

interface Consented {
  /** Of the job that was shown; nothing where nobody was asked, since nobody decided on it. */
  readonly revision: Pick<Act, 'expectedRevision'>;
}

async function consented(session: Session, jobId: string, name: ActionName, said?: ResolutionSaid): Promise<Consented> {
  if (session.yes) return { revision: {} };
  const { client, io } = session;
  const job = await client.get(jobId);
  const question = `${name} ${job.workflow_type} ${job.job_id}?`;
  const word = name === 'force-close' ? { word: jobId } : {};
  await agreed(session, { preview: preview(io.err, job, name, said), question, ...word });
  return { revision: { expectedRevision: job.revision } };
}

/** What follows takes its time, so the job is shown as it now is and where to look on. */
async function told(session: Session, job: Job): Promise<Outcome> {
  const { io } = session;
  const rests = job.next_action_at === null;
  show(session, job, () =>
    rests
      ? jobView(io.out, job)
      : `${headline(io.out, job)}${fields(io.out, [['follow', `dacapo watch ${job.job_id}`]])}`,
  );
  return 'done';
}
