/** Counts and digests of contents. The same code computes them for both engines, so equal contents have equal ones. */
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { encodeDeclarations } from '../stored-declarations.ts';
import { type Batches, type Contents, type Outline, type OwnTable, ownTables, type RowKind } from './contents.ts';
import { eventLoopYield } from './event-loop-yield.ts';

export type Tally = { readonly count: number; readonly sha256: string };
/** By the name of a collection, and the title of a table beside them. */
export type Tallies = ReadonlyMap<string, Tally>;

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

export type TallyOptions = {
  /** Called with the number of rows of each batch that was taken. */
  readonly onRows: (rows: number, kind: RowKind) => void;
  readonly signal: AbortSignal;
};

/** The batches of contents, tallied on their way: `tallies` has those that were read to the end. */
export function tallying(contents: Contents, { onRows, signal }: TallyOptions) {
  const tallies = new Map<string, Tally>();
  const yieldToEvents = eventLoopYield();
  async function* through<Row>(
    kind: RowKind,
    name: string,
    batches: Batches<Row>,
    lines: (rows: readonly Row[]) => string,
  ): AsyncGenerator<readonly Row[]> {
    const tally = new Tallying();
    for await (const rows of batches) {
      await yieldToEvents();
      signal.throwIfAborted();
      tally.add(lines(rows), rows.length);
      yield rows;
      onRows(rows.length, kind);
    }
    tallies.set(name, tally.end());
  }
  return {
    tallies,
    records: (of: Collection) =>
      through('record', of.name, contents.records(of), (records) => recordLines(of, records)),
    rows: (of: OwnTable) =>
      through(of.kind, of.title, contents.rows(of), (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
  };
}

/** Reads everything. */
export async function tally(contents: Contents, options: TallyOptions): Promise<Tallies> {
  const { tallies, records, rows } = tallying(contents, options);
  for (const { collection } of contents.outline.parts) for await (const _ of records(collection));
  for (const table of ownTables) for await (const _ of rows(table));
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
