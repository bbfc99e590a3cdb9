/**
 * Operations of one service in a DynamoDB table: one item an operation, its newest calls beside it. A change reads
 * consistently, decides, and puts under the condition that the version read is still the one stored; who loses reads
 * and decides anew. An answer that was lost is told by the write's own mark, so no change is made twice.
 */
import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { type Operation, UNSEEN } from '../operation.ts';
import type { LoggedCall, OperationStore, OperationView } from '../store.ts';

export interface DynamoOperationsOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Services that share a table do not see each other. */
  readonly service: string;
  readonly now: () => number;
  /** How long an operation is remembered after its last change; the table's TTL attribute is `expires_at`. */
  readonly remembersMs?: number;
}

/** Region, credentials and endpoint as the environment says; three attempts, as the SDK's standard is. */
export function dynamoClient(): DynamoDBClient {
  return new DynamoDBClient({});
}

interface Stored {
  readonly version: number;
  readonly mark: string;
  readonly operation: Operation | null;
  readonly calls: readonly LoggedCall[];
}

/** As long as a job is kept after its end: an undo or a query may come that late. */
const REMEMBERS_MS_DEFAULT = 90 * 86_400_000;
/** Changes of one process take turns, so only processes race, and each round of a race has a winner. */
const ATTEMPTS_MAX = 20;
/** About the time a winner needs for its write. */
const PAUSE_MS = 15;
/** Enough to see what happened to an operation; the item must not grow with every repetition. */
const CALLS_MAX = 50;

const ABSENT: Stored = { version: 0, mark: '', operation: null, calls: [] };

type Change = OperationStore['change'];

export function dynamoOperations(options: DynamoOperationsOptions): OperationStore & OperationView {
  const change = inTurns(racing(options));
  const all = (): Promise<(readonly [string, Stored])[]> => readAll(options);
  return {
    change,
    log: (call) => change(call.operationId, () => ({ next: null, call, result: undefined })),
    operations: async () =>
      (await all())
        .flatMap(([operationId, { operation }]) => (operation === null ? [] : [{ operationId, operation }]))
        .toSorted((a, b) => (a.operationId < b.operationId ? -1 : 1)),
    calls: async () => (await all()).flatMap(([, { calls }]) => calls).toSorted((a, b) => a.at - b.at),
  };
}

/** Read, decide, put if nobody else has; else again. */
function racing(options: DynamoOperationsOptions): Change {
  return async (operationId, decide) => {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const stored = await read(options, operationId);
      const { next, call, result } = decide(stored.operation ?? UNSEEN);
      if (next === null && call === null) return result;
      const operation = next ?? stored.operation;
      const calls = call === null ? stored.calls : [...stored.calls, call].slice(-CALLS_MAX);
      const written = { version: stored.version + 1, mark: randomUUID(), operation, calls };
      if (await put(options, operationId, written)) return result;
      await pause(Math.random() * PAUSE_MS);
    }
    throw new Error(`operation ${operationId} was changed by others ${ATTEMPTS_MAX} times in a row; call again later`);
  };
}

/** Changes of one operation in this process one after another. */
function inTurns(change: Change): Change {
  const turns = new Map<string, Promise<unknown>>();
  return async (operationId, decide) => {
    const before = turns.get(operationId) ?? Promise.resolve();
    const mine = before.then(() => change(operationId, decide));
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    turns.set(operationId, settled);
    try {
      return await mine;
    } finally {
      if (turns.get(operationId) === settled) turns.delete(operationId);
    }
  };
}

const keyOf = ({ service }: DynamoOperationsOptions, operationId: string) => ({
  pk: { S: `${service}#${operationId}` },
});

async function read(options: DynamoOperationsOptions, operationId: string): Promise<Stored> {
  const { client, tableName: TableName } = options;
  const Key = keyOf(options, operationId);
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item === undefined ? ABSENT : storedOf(Item);
}

/** Whether it is there now, by this put or by an earlier try of it. */
async function put(options: DynamoOperationsOptions, operationId: string, next: Stored): Promise<boolean> {
  const { client, tableName: TableName, now, remembersMs = REMEMBERS_MS_DEFAULT } = options;
  const Item = {
    ...keyOf(options, operationId),
    version: { N: String(next.version) },
    mark: { S: next.mark },
    calls: { S: JSON.stringify(next.calls) },
    expires_at: { N: String(Math.ceil((now() + remembersMs) / 1_000)) },
    ...(next.operation === null ? {} : { operation: { S: JSON.stringify(next.operation) } }),
  };
  const isUnchanged =
    next.version === 1
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'version = :read',
          ExpressionAttributeValues: { ':read': { N: String(next.version - 1) } },
        };
  try {
    await client.send(new PutItemCommand({ TableName, Item, ...isUnchanged }));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return (await read(options, operationId)).mark === next.mark;
  }
}

/** For people to look at; costs a read of the whole table. */
async function readAll(options: DynamoOperationsOptions): Promise<(readonly [string, Stored])[]> {
  const { client, tableName: TableName } = options;
  const prefix = `${options.service}#`;
  const found: (readonly [string, Stored])[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const item of Items) {
      const id = item.pk?.S ?? '';
      if (id.startsWith(prefix)) found.push([id.slice(prefix.length), storedOf(item)]);
    }
  }
  return found;
}

function storedOf(item: Readonly<Record<string, AttributeValue>>): Stored {
  return {
    version: Number(item.version?.N ?? 0),
    mark: item.mark?.S ?? '',
    operation: item.operation?.S === undefined ? null : (JSON.parse(item.operation.S) as Operation),
    calls: JSON.parse(item.calls?.S ?? '[]') as LoggedCall[],
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
