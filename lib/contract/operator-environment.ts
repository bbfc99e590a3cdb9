/** What the command line is told by its environment, so that nobody repeats an address and nobody types a secret. */
import * as z from 'zod';

export interface OperatorEnvironment {
  readonly url: string;
  /** A bearer token, where the API takes those; kept out of the arguments, which every user of a machine can read. */
  readonly token: string | null;
  /** Sign requests for IAM, as --sign does. */
  readonly sign: boolean;
  /** Where the address does not tell it. */
  readonly region: string | null;
}

const URL_DEFAULT = 'http://127.0.0.1:3000';

const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' || text === undefined ? null : text));

const OPERATOR = z.object({
  DACAPO_URL: optional,
  DACAPO_TOKEN: optional,
  DACAPO_SIGV4: optional.refine((text) => text === null || text === '0' || text === '1', {
    message: 'DACAPO_SIGV4: write 1 or leave it out',
  }),
  AWS_REGION: optional,
});

export function readOperatorEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): OperatorEnvironment {
  const read = OPERATOR.safeParse(variables);
  if (!read.success) throw new Error(read.error.issues.map(({ message }) => message).join('; '));
  const { DACAPO_URL, DACAPO_TOKEN, DACAPO_SIGV4, AWS_REGION } = read.data;
  return { url: DACAPO_URL ?? URL_DEFAULT, token: DACAPO_TOKEN, sign: DACAPO_SIGV4 === '1', region: AWS_REGION };
}
