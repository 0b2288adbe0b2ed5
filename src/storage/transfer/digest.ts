/** Counts and digests of contents. The same code computes them for both engines, so equal contents have equal ones. */
import type { Collection } from '../../domain/collection.ts';
import type { Stored } from '../../domain/record.ts';
import { encodeDeclarations } from '../stored-declarations.ts';
import type { Batches, Contents, Outline } from './contents.ts';
import { eventLoopYield } from './event-loop-yield.ts';

export type Tally = { readonly count: number; readonly sha256: string };
/** By the name of a collection, and of the tables beside them. */
export type Tallies = ReadonlyMap<string, Tally>;

/** Names that no collection can have. */
export const besides = { changes: 'changes', apiKeys: 'api keys', idempotencyKeys: 'idempotency keys' };

/** Computes a tally, line by line. */
export class Tallying {
  readonly #hash = new Bun.CryptoHasher('sha256');
  #count = 0;

  /** `text` has `lines` lines, each with its line break. */
  add(text: string, lines: number): void {
    this.#hash.update(text);
    this.#count += lines;
  }

  end(): Tally {
    return { count: this.#count, sha256: this.#hash.digest('hex') };
  }
}

/** Records as lines of NDJSON, as in an export. */
export function recordLines({ record }: Collection, records: readonly Stored[]): string {
  let text = '';
  for (const stored of records) text += `${record.encode(stored)}\n`;
  return text;
}

/** Rows of the tables beside the collections. */
export function rowLines(rows: readonly unknown[]): string {
  let text = '';
  for (const row of rows) text += `${JSON.stringify(row)}\n`;
  return text;
}

/** What the rows of a batch are. */
export type RowKind = 'record' | 'change' | 'key';

/** Reads everything. `onRows` is called with the number of rows of each batch. */
export async function tally(contents: Contents, onRows: (rows: number, thing: RowKind) => void): Promise<Tallies> {
  const tallies = new Map<string, Tally>();
  const yieldToEvents = eventLoopYield();
  async function take<Row>(
    thing: RowKind,
    name: string,
    batches: Batches<Row>,
    lines: (rows: readonly Row[]) => string,
  ) {
    const tallying = new Tallying();
    for await (const rows of batches) {
      tallying.add(lines(rows), rows.length);
      onRows(rows.length, thing);
      await yieldToEvents();
    }
    tallies.set(name, tallying.end());
  }
  for (const { collection } of contents.outline.parts)
    await take('record', collection.name, contents.records(collection), (rows) => recordLines(collection, rows));
  await take('change', besides.changes, contents.changes(), rowLines);
  await take('key', besides.apiKeys, contents.apiKeys(), rowLines);
  await take('key', besides.idempotencyKeys, contents.idempotencyKeys(), rowLines);
  return tallies;
}

/** What differs, one line each; none if the contents are equal. */
export function differences(one: Tallies, other: Tallies): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) => {
    const [a, b] = [one.get(name), other.get(name)];
    if (a?.count !== b?.count)
      return [`${name}: ${a?.count ?? 'none'} at the source, ${b?.count ?? 'none'} at the target`];
    return a?.sha256 === b?.sha256 ? [] : [`${name}: the digests differ`];
  });
}

/** Numbers and settings that differ. */
export function outlineDifferences(one: Outline, other: Outline): string[] {
  const facts = ({ declarations, parts, changes, trimmed, gaps, secret }: Outline) => ({
    declarations: encodeDeclarations(declarations),
    'highest ids': JSON.stringify(parts.map(({ collection, last }) => [collection.name, last])),
    'number of the last change': String(changes.last),
    'trimmed history': String(trimmed),
    'gaps in the history': JSON.stringify(gaps),
    'cursor secret': secret,
  });
  const [a, b] = [Object.entries(facts(one)), new Map(Object.entries(facts(other)))];
  return a.flatMap(([name, value]) => (b.get(name) === value ? [] : [`${name}: not the same`]));
}
