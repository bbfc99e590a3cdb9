/**
 * Counts what a bill would count, from the requests that the adapters really send: units on the table and its indexes,
 * calls by operation. It stands below the SDK's retries, so what is repeated is paid again.
 */
import type { Item } from '../../../lib/adapters/aws/items.ts';
import { TABLE } from '../../../lib/contract/aws-table.ts';
import {
  bodyOf,
  type Deliver,
  type FaultPlan,
  faulty,
  json,
  lookUp,
  type SentRequest,
  type SentResponse,
  textOf,
  type WireItem,
} from './faulty-handler.ts';
import { indexWriteUnits, itemBytes, readUnits, writeUnits } from './item-size.ts';

export interface TableBill {
  writes: number;
  tableUnits: number;
  indexUnits: number;
  readUnits: number;
  /** Of items that hold a value, within `tableUnits`. */
  valueUnits: number;
}

/** Meters a DynamoDB client until the test ends. */
export function meterTable(client: Parameters<typeof faulty>[0]): {
  readonly bill: TableBill;
  readonly calls: readonly string[];
} {
  const bill: TableBill = { writes: 0, tableUnits: 0, indexUnits: 0, readUnits: 0, valueUnits: 0 };
  const plan: FaultPlan = (operation) => (request, deliver) =>
    operation.startsWith('Put') || operation.startsWith('Update')
      ? writing(bill, request, deliver)
      : reading(bill, request, deliver);
  return { bill, calls: faulty(client, plan) };
}

async function writing(bill: TableBill, request: SentRequest, deliver: Deliver): Promise<SentResponse> {
  const { Item = {}, Key = Item } = bodyOf(request) as { Item?: WireItem; Key?: WireItem };
  const before = await imageOf(request, deliver, Key);
  const response = await deliver(request);
  // A refused write costs what is there.
  const after = response.statusCode === 200 ? await imageOf(request, deliver, Key) : before;
  const units = writeUnits(before, after);
  bill.writes += 1;
  bill.tableUnits += units;
  bill.indexUnits += indexWriteUnits(before, after);
  if (Key[TABLE.partitionKey]?.S?.startsWith('VALUE#')) bill.valueUnits += units;
  return response;
}

async function reading(bill: TableBill, request: SentRequest, deliver: Deliver): Promise<SentResponse> {
  const asked = bodyOf(request) as { ConsistentRead?: boolean };
  const { status, answer } = await jsonOf(await deliver(request));
  const { Item, Items = Item === undefined ? [] : [Item] } = answer as { Item?: WireItem; Items?: WireItem[] };
  const size = Items.reduce((sum, item) => sum + itemBytes(decoded(item)), 0);
  bill.readUnits += readUnits(size, asked.ConsistentRead === true);
  return json(status, answer);
}

async function imageOf(request: SentRequest, deliver: Deliver, key: WireItem): Promise<Item | null> {
  const { TableName } = bodyOf(request) as { TableName: string };
  const Key = Object.fromEntries(Object.entries(key).filter(([name]) => KEY.includes(name)));
  const item = await lookUp(request, deliver, TableName, Key);
  return item === null ? null : decoded(item);
}

const KEY: readonly string[] = [TABLE.partitionKey, TABLE.sortKey];

function decoded(item: WireItem): Item {
  const entries = Object.entries(item).map(([name, { S, N, B }]) => {
    if (B !== undefined) return [name, { B: Buffer.from(B, 'base64') }];
    return [name, S === undefined ? { N } : { S }];
  });
  return Object.fromEntries(entries);
}

async function jsonOf(response: SentResponse): Promise<{ status: number; answer: object }> {
  return { status: response.statusCode, answer: JSON.parse(await textOf(response)) };
}
