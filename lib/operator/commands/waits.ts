/**
 * What a person says to a job that waits: the signal it is for, or a decision in place of whoever was asked.
 */
import type { Command } from 'commander';
import { readJson } from '../input.ts';
import { headline } from '../job-view.ts';
import { type Outcome, type Run, type Session, show } from '../session.ts';
import { fields } from '../table.ts';

interface SignalFlags {
  readonly key?: string;
}

interface ApproveFlags {
  readonly reason: string;
  readonly decline?: boolean;
}

export function waitCommands(program: Command, run: Run): void {
  program
    .command('signal')
    .description('send a job the signal that it waits for, or will')
    .argument('<job-id>')
    .argument('<name>', 'of the signal')
    .argument('<payload>', 'JSON or @file')
    .option('--key <key>', 'idempotency key: sent again under it, it is the same signal')
    .addHelpText(
      'after',
      `\nExamples:\n  dacapo signal jabcdefghijklmnopqrstuvwxyz address '{"street":"Main"}' --key form-7`,
    )
    .action(
      run((session, jobId: string, name: string, payload: string, flags: SignalFlags) =>
        signal(session, jobId, name, payload, flags),
      ),
    );
  program
    .command('approve')
    .description('decide in place of the person whom a step asks')
    .argument('<job-id>')
    .argument('<step>', 'that asks')
    .option('--decline', 'say no')
    .requiredOption('--reason <why>', 'a sentence that stays in the history')
    .addHelpText(
      'after',
      `\nExamples:\n  dacapo approve jabcdefghijklmnopqrstuvwxyz approval --reason 'spoke with Grace'`,
    )
    .action(run((session, jobId: string, step: string, flags: ApproveFlags) => approve(session, jobId, step, flags)));
}

async function signal(
  session: Session,
  jobId: string,
  name: string,
  payload: string,
  { key }: SignalFlags,
): Promise<Outcome> {
  const said = await readJson(session.io, 'payload', payload);
  return told(
    session,
    await session.client.signal(jobId, name, said, key === undefined ? {} : { idempotencyKey: key }),
  );
}

async function approve(
  session: Session,
  jobId: string,
  step: string,
  { reason, decline }: ApproveFlags,
): Promise<Outcome> {
  const decision = decline === true ? 'declined' : 'approved';
  return told(session, await session.client.approve(jobId, { step, decision, reason }));
}

async function told(session: Session, job: Awaited<ReturnType<Session['client']['get']>>): Promise<Outcome> {
  const { io } = session;
  show(session, job, () => `${headline(io.out, job)}${fields(io.out, [['follow', `dacapo watch ${job.job_id}`]])}`);
  return 'done';
}
