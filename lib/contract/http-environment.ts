/** The environment of the function that calls participants over HTTPS: where they are, and nothing of ours. */
import { type HttpTargets, readHttpTargets } from './http-targets.ts';

export const HTTP_VARIABLES = {
  /** JSON: `allowed_hosts` and `targets`, see http-targets.ts. */
  targets: 'DACAPO_HTTP_TARGETS',
} as const;

export function parseHttpEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): HttpTargets {
  const text = variables[HTTP_VARIABLES.targets];
  if (!text) throw new Error(`${HTTP_VARIABLES.targets} is not set: deploy the function with it`);
  try {
    return readHttpTargets(JSON.parse(text));
  } catch (error) {
    throw new Error(`${HTTP_VARIABLES.targets}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
