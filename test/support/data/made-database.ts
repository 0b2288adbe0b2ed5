/** Databases of items with given contents, made without a server. */
import { items } from '../../../src/collections/items.ts';
import type { Stored } from '../../../src/domain/record/record.ts';
import { changeColumns } from '../../../src/storage/rows/change.ts';
import type { Contents, OwnTable, TableRow } from '../../../src/storage/transfer/contents.ts';
import { openTarget } from '../../../src/storage/transfer/open-databases.ts';
import { transfer } from '../../../src/storage/transfer/transfer.ts';
import { engineOf } from '../servers/engine.ts';

export const at = '2026-01-02T03:04:05.678Z';
export const connection = { timeoutMs: 10_000, prepare: true };
export const quietly = { onRows: () => {}, onVerify: () => {}, signal: new AbortController().signal };
export const optionsOf = (label: string) => ({ ...connection, declared: [items], label });

/** Items with the ids 1, 2, ... */
export const itemsNamed = (...names: readonly string[]): Stored[] =>
  names.map((name, place) => ({
    recordId: place + 1,
    version: 1,
    createdAt: at,
    updatedAt: at,
    row: { id: BigInt(place + 1), name, price: place },
  }));

/** A change that created the item. */
export function createdChange(number: number, { recordId, version, createdAt, updatedAt, row }: Stored): TableRow {
  const values = {
    seq: number,
    collection: items.name,
    type: 'created',
    record_seq: recordId,
    version,
    created_at: createdAt,
    at: updatedAt,
    updated_at: updatedAt,
    record: items.encode(row),
    singular: null,
    made_by: null,
    transaction_first: null,
    transaction_size: null,
    before: null,
    trace_id: null,
  };
  return changeColumns.map((column) => values[column]);
}

export const apiKey: TableRow = ['key1', 'all', 'digest1', 'read', null, at, null, null, null, null, null];

export function contentsOf(
  records: readonly Stored[],
  rows: Partial<Readonly<Record<OwnTable['name'], readonly TableRow[]>>> = {},
): Contents {
  const { changes = [] } = rows;
  return {
    outline: {
      declarations: { items: { now: items.declaration, earlier: [] } },
      parts: [{ collection: items, records: records.length, last: records.at(-1)?.recordId ?? 0 }],
      changes: { kept: changes.length, last: Number(changes.at(-1)?.[0] ?? 0) },
      trimmed: 0,
      gaps: [],
      secret: 'secret',
    },
    records: () => [records],
    rows: ({ name }) => [rows[name] ?? []],
  };
}

export async function makeDatabase(url: string, contents: Contents): Promise<void> {
  const target = await openTarget(engineOf(url), { ...optionsOf(url), keepsApiKeys: false, advice: 'choose another' });
  try {
    await transfer(contents, target, quietly);
  } finally {
    await target.close();
  }
}
