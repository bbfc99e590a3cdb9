/**
 * A batch of queue messages, each on its own: one that fails is named in the answer and comes back, its neighbours are
 * done. One for which no time is left is named too: a function that is killed would return the whole batch.
 */
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log } from '../../lib/ports.ts';

/** What dealing with a message takes at most, but for a driver's, which looks at the clock itself. */
const TIME_FOR_ONE_MS = 5_000;

export async function eachMessage(
  { Records }: SQSEvent,
  context: Context,
  log: Log,
  deal: (record: SQSRecord) => Promise<void>,
): Promise<SQSBatchResponse> {
  const failed = async (record: SQSRecord): Promise<boolean> => {
    if (context.getRemainingTimeInMillis() < TIME_FOR_ONE_MS) return true;
    try {
      await deal(record);
      return false;
    } catch (error) {
      const name = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
      log.write('error', 'message_failed', { error: name, request_id: context.awsRequestId });
      return true;
    }
  };
  const results = await Promise.all(Records.map(async (record) => ({ record, failed: await failed(record) })));
  return {
    batchItemFailures: results
      .filter((result) => result.failed)
      .map(({ record }) => ({ itemIdentifier: record.messageId })),
  };
}
