/** Values of every size, and where they must never show: in a log. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { DescribeLogGroupsCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { jobIn } from '../../acceptance/support/api.ts';
import { api, become, logs } from '../stack.ts';

const CANARY = `canary-${randomUUID()}`;
/** Beyond what an item holds, so that it lies in the bucket. */
const LARGE = 400 * 1_024;

become('operator');

test('a payload beyond an item comes back as it was', async () => {
  const input = { question: `${CANARY} ${'x'.repeat(LARGE)}` };
  const job = jobIn(await api.submit('research', input, { key: randomUUID(), wait: 25 }));
  assert.deepEqual((await api.job(job.job_id)).input, input);
});

test('no payload, key or token stands in a log; what ended stands there as a metric', async () => {
  const input = { company: `Acme ${CANARY}`, email: `${CANARY}@example.com`, plan: `${CANARY}` };
  const key = `key-${CANARY}`;
  assert.equal((await api.submit('signup', input, { key, wait: 25 })).status, 422);
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({}));
  const lines: string[] = [];
  for (const { logGroupName } of logGroups) {
    const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName }));
    lines.push(...events.map(({ message = '' }) => message));
  }
  assert.deepEqual(
    lines.filter((line) => line.includes(CANARY)),
    [],
  );
  assert.ok(lines.some((line) => line.includes('"JobsEnded"') && line.includes('"_aws"')));
});
