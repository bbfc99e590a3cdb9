/** What the command line is told by its environment, so that nobody repeats an address and nobody types a secret. */
import * as z from 'zod';

export interface OperatorEnvironment {
  readonly url: string;
  /** A bearer token, where the API takes those; kept out of the arguments, which every user of a machine can read. */
  readonly token: string | null;
}

const URL_DEFAULT = 'http://127.0.0.1:3000';

const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' || text === undefined ? null : text));

const OPERATOR = z.object({ DACAPO_URL: optional, DACAPO_TOKEN: optional });

export function readOperatorEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): OperatorEnvironment {
  const { DACAPO_URL, DACAPO_TOKEN } = OPERATOR.parse(variables);
  return { url: DACAPO_URL ?? URL_DEFAULT, token: DACAPO_TOKEN };
}
