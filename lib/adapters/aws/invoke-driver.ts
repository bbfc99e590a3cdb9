/**
 * Runs a driver for one job by a direct invoke and waits until it has returned. One attempt: whether it came through or
 * not, the job is due by itself a moment later.
 */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { JobId } from '../../core/ids.ts';
import type { Message } from '../../ports.ts';
import { queueBody } from './queue.ts';

export function invokeDriver(client: LambdaClient) {
  return async (FunctionName: string, jobId: JobId, abortSignal: AbortSignal): Promise<void> => {
    const hint: Message = { kind: 'hint', jobId, revision: 0, hops: 0 };
    const Payload = Buffer.from(queueBody(hint));
    const { FunctionError } = await client.send(
      new InvokeCommand({ FunctionName, InvocationType: 'RequestResponse', Payload }),
      { abortSignal },
    );
    if (FunctionError !== undefined) throw new Error(`the driver ended with an error (${FunctionError})`);
  };
}
