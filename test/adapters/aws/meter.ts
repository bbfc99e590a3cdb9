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
  type SentRequest,
  type SentResponse,
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

type Wire = Record<string, { readonly S?: string; readonly N?: string; readonly B?: string }>;

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
  const { Item, Key = Item, TableName } = bodyOf(request) as { Item?: Wire; Key?: Wire; TableName: string };
  const before = await lookUp(request, deliver, TableName, Key);
  const response = await deliver(request);
  // A refused write costs what is there.
  const after = response.statusCode === 200 ? await lookUp(request, deliver, TableName, Key) : before;
  const units = writeUnits(before, after);
  bill.writes += 1;
  bill.tableUnits += units;
  bill.indexUnits += indexWriteUnits(before, after);
  if (Key?.[TABLE.partitionKey]?.S?.startsWith('VALUE#')) bill.valueUnits += units;
  return response;
}

async function reading(bill: TableBill, request: SentRequest, deliver: Deliver): Promise<SentResponse> {
  const asked = bodyOf(request) as { ConsistentRead?: boolean };
  const { status, answer } = await jsonOf(await deliver(request));
  const { Item, Items = Item === undefined ? [] : [Item] } = answer as { Item?: Wire; Items?: Wire[] };
  const size = Items.reduce((sum, item) => sum + itemBytes(decoded(item)), 0);
  bill.readUnits += readUnits(size, asked.ConsistentRead === true);
  return json(status, answer);
}

/** Asks the engine by the way of the request at hand; nobody pays for that. */
async function lookUp(request: SentRequest, deliver: Deliver, TableName: string, key: Wire = {}): Promise<Item | null> {
  const Key = { [TABLE.partitionKey]: key[TABLE.partitionKey], [TABLE.sortKey]: key[TABLE.sortKey] };
  const body = Buffer.from(JSON.stringify({ TableName, Key, ConsistentRead: true }));
  const target = { 'x-amz-target': 'DynamoDB_20120810.GetItem', 'content-length': String(body.length) };
  const { answer } = await jsonOf(await deliver({ ...request, headers: { ...request.headers, ...target }, body }));
  const { Item } = answer as { Item?: Wire };
  return Item === undefined ? null : decoded(Item);
}

function decoded(item: Wire): Item {
  const entries = Object.entries(item).map(([name, { S, N, B }]) => {
    if (B !== undefined) return [name, { B: Buffer.from(B, 'base64') }];
    return [name, S === undefined ? { N } : { S }];
  });
  return Object.fromEntries(entries);
}

async function jsonOf(response: SentResponse): Promise<{ status: number; answer: object }> {
  const parts: Buffer[] = [];
  for await (const part of response.body as AsyncIterable<Uint8Array>) parts.push(Buffer.from(part));
  return { status: response.statusCode, answer: JSON.parse(Buffer.concat(parts).toString()) };
}
