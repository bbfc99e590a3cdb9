import { expect, it } from 'vitest';
import { memoryOperations, sqliteOperations } from '../../lib/worker/index.ts';
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

it('services that share a file do not see each other', async () => {
  const { write } = sqliteFile();
  const [left, right] = [await sqliteOperations('left', write), await sqliteOperations('right', write)];
  await left.log({ topic: 'a:do', operationId: 'op1', attempt: 1, at: 5, result: 'ok' });
  expect(await right.calls()).toEqual([]);
});
