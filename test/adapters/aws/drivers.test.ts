/** How a waiting submit invokes a driver, and when the watchdog holds back. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { backlogs } from '../../../lib/adapters/aws/backlog.ts';
import { invokeDriver } from '../../../lib/adapters/aws/invoke-driver.ts';
import type { JobId } from '../../../lib/core/ids.ts';
import { LIMITS } from '../../../lib/core/limits.ts';

const jobId = `j${'a'.repeat(26)}` as JobId;

describe('a driver that is invoked', () => {
  const mock = mockClient(LambdaClient);
  const invoke = invokeDriver(new LambdaClient({ region: 'us-east-1' }));
  const run = () => invoke('dispatch', jobId, new AbortController().signal);

  it('is given a hint, and waited for', async () => {
    mock.reset();
    mock.on(InvokeCommand).resolves({ StatusCode: 200 });
    await run();
    const { FunctionName, InvocationType, Payload } = mock.commandCalls(InvokeCommand)[0]?.args[0].input ?? {};
    expect([FunctionName, InvocationType]).toEqual(['dispatch', 'RequestResponse']);
    expect(JSON.parse(Buffer.from(Payload as Uint8Array).toString())).toEqual({
      kind: 'hint',
      jobId,
      revision: 0,
      hops: 0,
    });
  });

  it('that ended with an error is said to have', async () => {
    mock.reset();
    mock.on(InvokeCommand).resolves({ StatusCode: 200, FunctionError: 'Unhandled' });
    await expect(run()).rejects.toThrow('Unhandled');
  });
});

describe('a backlog', () => {
  const mock = mockClient(SQSClient);
  const urls = { dispatchQueueUrl: 'https://sqs/dispatch', compensateQueueUrl: 'https://sqs/compensate' };
  const look = (dispatch: number, compensate: number) => {
    mock.reset();
    const has = (QueueUrl: string, n: number) =>
      mock
        .on(GetQueueAttributesCommand, { QueueUrl })
        .resolves({ Attributes: { ApproximateNumberOfMessages: String(n) } });
    has(urls.dispatchQueueUrl, dispatch);
    has(urls.compensateQueueUrl, compensate);
    return backlogs(new SQSClient({ region: 'us-east-1' }), urls)();
  };

  it('is as much as one run of the watchdog would add, each queue by itself', async () => {
    const most = LIMITS.sweepBatchMax;
    expect(await look(most - 1, most - 1)).toEqual(new Set());
    expect(await look(most, 0)).toEqual(new Set(['dispatch']));
    expect(await look(0, most)).toEqual(new Set(['compensate']));
  });
});
