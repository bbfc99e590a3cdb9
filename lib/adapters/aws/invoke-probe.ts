/** Has one dependency asked how it is by the function that may call it, and waits until that is on record. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { calling } from './failures.ts';

export function invokeProbe(client: LambdaClient, FunctionName: string) {
  return async (dependency_id: string, caller_id: string): Promise<void> => {
    const Payload = Buffer.from(JSON.stringify({ dependency_id, caller_id }));
    const command = new InvokeCommand({ FunctionName, InvocationType: 'RequestResponse', Payload });
    const { FunctionError } = await calling('Lambda Invoke', () => client.send(command));
    if (FunctionError !== undefined) throw new Error(`the probe ended with an error (${FunctionError})`);
  };
}
