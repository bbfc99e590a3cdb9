/**
 * An example service as a function: an envelope in, an envelope out, its operations remembered in DynamoDB. It shares the
 * worker kit with any other service, and nothing with the orchestrator but the envelope.
 */

import { jsonLog } from '../../lib/adapters/aws/log.ts';
import { readOperationsTable } from '../../lib/contract/door-environment.ts';
import type { EnvelopeRequest } from '../../lib/contract/envelope.ts';
import { host, type Service } from '../../lib/worker/index.ts';
import { dynamoClient, dynamoOperations } from '../../lib/worker/stores/dynamodb.ts';
import { lambda } from './lambda.ts';

export function participant(service: Service) {
  const log = jsonLog();
  const now = (): number => Date.now();
  const table = { client: dynamoClient(), tableName: readOperationsTable(), service: service.name };
  const answer = host(service, {
    store: dynamoOperations({ ...table, now }),
    now,
    onError: (error, topic) =>
      log.write('error', 'participant_failed', { topic, error: error instanceof Error ? error.message : 'unknown' }),
  });
  return lambda((event: EnvelopeRequest) => answer(event));
}
