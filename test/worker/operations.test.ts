import { expect, it } from 'vitest';
import { memoryOperations, sqliteOperations, UNSEEN } from '../../lib/worker/index.ts';
import { dynamoOperations } from '../../lib/worker/stores/dynamodb.ts';
import { dynamoTable } from './dynamo-table.ts';
import { operationsContract } from './operations-contract.ts';
import { sqliteFile } from './sqlite-file.ts';

operationsContract('memory', async () => ({ store: memoryOperations(), reopen: () => null }));

operationsContract('SQLite', async () => {
  const file = sqliteFile();
  return {
    store: await sqliteOperations('sample', file.write),
    reopen: () => sqliteOperations('sample', file.reopen().write),
  };
});

operationsContract('DynamoDB', async () => {
  const table = await dynamoTable();
  const open = () => dynamoOperations({ ...table, service: 'sample', now: () => 1_000 });
  return { store: open(), reopen: async () => open() };
});

it('services that share a file do not see each other', async () => {
  const { write } = sqliteFile();
  const [left, right] = [await sqliteOperations('left', write), await sqliteOperations('right', write)];
  await left.log({ topic: 'a:do', operationId: 'op1', attempt: 1, at: 5, result: 'ok' });
  expect(await right.calls()).toEqual([]);
});

it('a change in another process that came between read and write makes this one decide anew', async () => {
  const table = await dynamoTable();
  const open = () => dynamoOperations({ ...table, service: 'sample', now: () => 1_000 });
  const [here, elsewhere] = [open(), open()];
  let decided = 0;
  const counted = (store: ReturnType<typeof open>) =>
    store.change('op1', (operation) => {
      decided += 1;
      const count = Number(operation.record?.count ?? 0) + 1;
      return { next: { ...operation, record: { count } }, call: null, result: count };
    });
  const counts = await Promise.all([...Array(8)].flatMap(() => [counted(here), counted(elsewhere)]));
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  expect(decided).toBeGreaterThan(16);
});

it('a write whose answer was lost is not made twice', async () => {
  const table = await dynamoTable();
  const store = dynamoOperations({ ...table, service: 'sample', now: () => 1_000 });
  // Applied, and then answered as if the connection had broken: the SDK sends the same put again.
  let broken = 0;
  table.client.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      if (context.commandName !== 'PutItemCommand' || broken > 0) return answer;
      broken += 1;
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    },
    { step: 'deserialize', name: 'loseOneAnswer' },
  );
  const result = await store.change('op1', ({ record }) => {
    return { next: { ...UNSEEN, record: { count: Number(record?.count ?? 0) + 1 } }, call: null, result: 'done' };
  });
  expect([result, broken]).toEqual(['done', 1]);
  expect((await store.operations())[0]?.operation.record).toEqual({ count: 1 });
});
