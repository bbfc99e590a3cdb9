/**
 * The command line as a whole: commands, their common options, and how a command ends. Exit code 0: done, 1: refused or
 * failed, 2: wrong usage, of which nothing was sent.
 */
import { Argument, Command, CommanderError } from 'commander';
import type { OperatorEnvironment } from '../contract/operator-environment.ts';
import { actionCommands } from './commands/actions.ts';
import { auditCommand } from './commands/audit.ts';
import { deadLetterCommands } from './commands/dead-letters.ts';
import { dependencyCommands } from './commands/dependencies.ts';
import { describeCommand } from './commands/describe.ts';
import { jobCommands } from './commands/jobs.ts';
import { pauseCommands } from './commands/pauses.ts';
import { scheduleCommands } from './commands/schedules.ts';
import { submitCommands } from './commands/submit.ts';
import { versionCommands } from './commands/versions.ts';
import { waitCommands } from './commands/waits.ts';
import { completionScript } from './completion.ts';
import { EXIT, type ExitCode, report } from './failure.ts';
import type { Io } from './io.ts';
import { type GlobalOptions, type Outcome, openSession, type Run } from './session.ts';
import { clean } from './text.ts';

export async function main(args: readonly string[], io: Io, environment: OperatorEnvironment): Promise<ExitCode> {
  let outcome: Outcome = 'done';
  const program = programWith(io, (command) => async (...said) => {
    const own = said.at(-1) as Command;
    const session = await openSession(io, environment, own.optsWithGlobals<GlobalOptions>());
    outcome = await command(session, ...(said.slice(0, -1) as never));
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return outcome === 'done' ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    return report(io, error, program.opts<GlobalOptions>().json ?? false);
  }
}

function programWith(io: Io, run: Run): Command {
  const program = new Command('dacapo')
    .description('Submit jobs, see what happened to them, and settle what cannot go on by itself.')
    .option('--url <url>', 'where the API is (default: DACAPO_URL, else http://127.0.0.1:3000)')
    .option('--json', 'one JSON document for programs, in place of text')
    .option('--yes', 'agree beforehand to what would be asked')
    .option('--sign', 'sign requests for IAM with the credentials of your shell or AWS profile')
    .option('--caller <id>', 'embedded mode only: act under this name')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
      outputError: (text, write) => write(text.split('\n').map(clean).join('\n')),
    })
    .addHelpText('after', EXAMPLES);
  submitCommands(program, run);
  jobCommands(program, run);
  actionCommands(program, run);
  waitCommands(program, run);
  deadLetterCommands(program, run);
  scheduleCommands(program, run);
  dependencyCommands(program, run);
  pauseCommands(program, run);
  auditCommand(program, run);
  describeCommand(program, run);
  versionCommands(program, run);
  program
    .command('completion')
    .description('a completion script for your shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .addHelpText('after', '\nExamples:\n  source <(dacapo completion bash)\n  dacapo completion zsh > ~/.dacapo.zsh')
    .action((shell: string) => io.out.write(completionScript(program, shell)));
  return program;
}

const EXAMPLES = `
Examples:
  dacapo submit signup '{"company":"Acme","email":"ada@example.com","plan":"free"}' --watch
  dacapo jobs list --state NEEDS_REVIEW
  dacapo dead-letters list --status open

Exit codes: 0 done, 1 refused or failed, 2 wrong usage. DACAPO_TOKEN holds a bearer token where the
API takes one; DACAPO_SIGV4=1 signs like --sign.`;
