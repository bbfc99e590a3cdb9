/** Calls participants over HTTPS for the drivers. It has no right at anything of ours but the secrets its targets name. */
import { jsonLog } from '../lib/adapters/aws/log.ts';
import { awsSecrets } from '../lib/adapters/aws/secrets.ts';
import { readHttpCall } from '../lib/contract/http-call.ts';
import { parseHttpEnvironment } from '../lib/contract/http-environment.ts';
import { httpWorker } from '../lib/outbound/worker.ts';
import { lambda } from './parts/lambda.ts';
import { count } from './parts/metrics.ts';

const log = jsonLog();
const now = (): number => Date.now();
const call = httpWorker({
  targets: parseHttpEnvironment(),
  secrets: awsSecrets(),
  now,
  onError: (error, target) =>
    log.write('error', 'http_call_failed', { target, error: error instanceof Error ? error.name : 'unknown' }),
});

export const handler = lambda(async (event: object) => {
  const asked = readHttpCall(event);
  const startedAt = now();
  const response = await call(asked);
  count('HttpLatency', now() - startedAt, { target: asked.target });
  if (!response.isSuccessful)
    log.write('info', 'http_call_refused', { target: asked.target, state: response.statusCode });
  return response;
});
