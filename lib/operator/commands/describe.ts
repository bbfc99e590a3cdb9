/**
 * describe: the rules from the code of this checkout; workflows from a module of definitions, or from the deployment,
 * which knows best what it runs.
 */
import { Argument, type Command, Option } from 'commander';
import { markdown, mermaid, type Part, rules, type SagaGraph, saga } from '../../contract/describe/index.ts';
import { graphsIn } from '../definitions.ts';
import { UsageError } from '../refusals.ts';
import type { Outcome, Run, Session } from '../session.ts';
import { cleanJson } from '../text.ts';

interface DescribeFlags {
  readonly format: 'markdown' | 'mermaid' | 'json';
  readonly definitions?: string;
}

const RULES = rules().map(({ name }) => name);

export function describeCommand(program: Command, run: Run): void {
  program
    .command('describe')
    .description('what the code says about itself')
    .addArgument(
      new Argument('[what]', 'one part, or all rules').choices(['rules', ...RULES, 'workflow']).default('rules'),
    )
    .argument('[type]', 'for workflow: only this one')
    .addOption(
      new Option('--format <format>', 'in which form').choices(['markdown', 'mermaid', 'json']).default('markdown'),
    )
    .option('--definitions <file>', 'take workflows from this module of definitions, not from the deployment')
    .addHelpText('after', EXAMPLES)
    .action(
      run((session, what: string, type: string | undefined, flags: DescribeFlags) =>
        describe(session, what, type, flags),
      ),
    );
}

const EXAMPLES = `
Examples:
  dacapo describe
  dacapo describe retries
  dacapo describe job --format mermaid
  dacapo describe workflow order
  dacapo describe workflow --definitions ./lib/workflows/examples.ts --format json`;

async function describe(
  session: Session,
  what: string,
  type: string | undefined,
  { format, definitions }: DescribeFlags,
): Promise<Outcome> {
  if (type !== undefined && what !== 'workflow')
    throw new UsageError(`describe ${what} takes no further name: leave out ${type}`);
  const parts = what === 'workflow' ? (await workflows(session, type, definitions)).map(saga) : rulesNamed(what);
  session.io.out.write(`${formatted(parts, session.json ? 'json' : format)}\n`);
  return 'done';
}

function rulesNamed(what: string): Part[] {
  return rules().filter(({ name }) => what === 'rules' || name === what);
}

async function workflows(session: Session, type: string | undefined, file: string | undefined): Promise<SagaGraph[]> {
  if (file !== undefined) return graphsIn(file, type);
  const { workflows: deployed } = session.client;
  const types = type === undefined ? (await deployed.list()).map(({ workflow_type }) => String(workflow_type)) : [type];
  return Promise.all(types.map((one) => deployed.graph(one)));
}

function formatted(parts: readonly Part[], format: DescribeFlags['format']): string {
  if (format === 'json') {
    const [only, ...others] = parts;
    const facts = Object.fromEntries(parts.map((part) => [part.name, part.facts]));
    return cleanJson(only !== undefined && others.length === 0 ? only.facts : facts, 2);
  }
  if (format === 'markdown') return markdown(parts);
  const drawn = mermaid(parts);
  if (drawn === '') throw new UsageError('this part has no drawing: use --format markdown or json');
  return drawn;
}
