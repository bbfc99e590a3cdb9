/**
 * What DynamoDB counts: the bytes of an item by its published rules, and the units that a write of it costs on the table
 * and on each index. Indexes hold keys only here, so an entry is written when a key appears, goes, or changes.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lib/adapters/aws/items.ts';
import { INDEXES, TABLE, type TableIndex } from '../../../lib/contract/aws-table.ts';

const KB = 1_024;

export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return value.B.length;
  // Two significant digits a byte, and one byte more.
  if (value.N !== undefined) return Math.ceil(value.N.replace(/^0+|\.|0+$/g, '').length / 2) + 1;
  throw new Error('an attribute of a kind that this table does not have');
}

export function writeUnits(before: Item | null, after: Item | null): number {
  const bytes = Math.max(...[before, after].map((item) => (item === null ? 0 : itemBytes(item))));
  return Math.max(1, Math.ceil(bytes / KB));
}

export function readUnits(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / (4 * KB))) * (consistent ? 1 : 0.5);
}

/** All indexes together. */
export function indexWriteUnits(before: Item | null, after: Item | null): number {
  return Object.values(INDEXES).reduce((sum, index) => sum + unitsOn(index, before, after), 0);
}

function unitsOn(index: TableIndex, before: Item | null, after: Item | null): number {
  const [old, now] = [entryOf(index, before), entryOf(index, after)];
  if (JSON.stringify(old) === JSON.stringify(now)) return 0;
  return [old, now].reduce((sum, entry) => sum + (entry === null ? 0 : Math.ceil(itemBytes(entry) / KB)), 0);
}

function entryOf({ partitionKey, sortKey }: TableIndex, item: Item | null): Item | null {
  if (item?.[partitionKey] === undefined || item[sortKey] === undefined) return null;
  const names = [partitionKey, sortKey, TABLE.partitionKey, TABLE.sortKey];
  return Object.fromEntries(names.map((name) => [name, item[name] ?? { S: '' }]));
}
