/** A wait that EventBridge Scheduler keeps: the deployment under test makes every timer a schedule. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import {
  DeleteFunctionConcurrencyCommand,
  ListFunctionsCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { GetScheduleCommand, ListSchedulesCommand } from '@aws-sdk/client-scheduler';
import { jobIn } from '../../acceptance/support/api.ts';
import { eventually } from '../../acceptance/support/eventually.ts';
import { isSettled } from '../../acceptance/support/wire.ts';
import { api, become, lambda, PATIENCE_MS, scheduler } from '../stack.ts';

become('operator');

const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
// The only one that no other case of this deployment needs.
const FunctionName = Functions.find((one) => /inventoryFunction/.test(one.FunctionName ?? ''))?.FunctionName;
after(() => lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName })));

test('a retry that waits for long is a schedule, which fires, deletes itself, and lets the job go on', async () => {
  assert.ok(FunctionName);
  // Whoever calls it now is refused: the attempt has not applied, and is made again later.
  await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
  const order = { order_id: randomUUID(), sku: 'a', quantity: 1, amount: 5, address: 'Main Street 1' };
  const { job_id } = jobIn(await api.submit('order', order, { key: randomUUID() }));
  const mine = async (): Promise<string | undefined> => {
    const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({}));
    return Schedules.find(({ Name = '' }) => Name.startsWith(job_id))?.Name;
  };
  const name = await eventually('a schedule of the job', mine, PATIENCE_MS);
  await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));

  const job = await eventually(
    'the job completes',
    async () => {
      const now = await api.job(job_id);
      return isSettled(now) ? now : undefined;
    },
    PATIENCE_MS,
  );
  assert.equal(job.current_state, 'COMPLETED');
  assert.ok(job.retry_count > 0);
  await eventually('no schedule is left', async () => ((await mine()) === undefined ? true : undefined), PATIENCE_MS);
  await assert.rejects(scheduler.send(new GetScheduleCommand({ Name: name })), { name: 'ResourceNotFoundException' });
});
