/** The records of all collections in memory, as the writing thread keeps them: it applies each batch that it has committed. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../../domain/collection.ts';
import { withId } from '../../../domain/store.ts';
import type { Level } from '../memory/level.ts';
import { Memory } from '../memory/memory.ts';
import { openReader, type Reader } from '../reads/reader.ts';
import { type Budget, Keeper } from './keeper.ts';
import { isBulked, isRemoved, isUpdated, type Outcome, type Removed, type Updated } from './outcome.ts';
import { prefixOf, readLine, type WriteLine } from './write-line.ts';

/** Starts the JSON of a record with an id of the contract. */
const idStart = '{"id":';
/** A number has them exactly, and takes a fraction of the time of a bigint. */
const exactDigits = 15;

export class KeptRecords {
  readonly memory: Memory;
  readonly #keepers: readonly Keeper[];
  readonly #budget: Budget;
  /** Those that were used. */
  readonly #readers: Reader[] = [];

  constructor(
    db: Database,
    readonly collections: readonly Collection[],
    cacheBytes: number,
    readonly level: Level,
    run: number,
  ) {
    this.memory = new Memory(collections.length, run);
    this.#budget = { limit: cacheBytes, used: 0 };
    this.#keepers = collections.map((collection, place) => {
      let reader: Reader | undefined;
      const after = (seq: number, limit: number) => {
        if (reader === undefined) {
          reader = openReader(db, collection);
          this.#readers.push(reader);
        }
        return reader.after(seq, limit);
      };
      return new Keeper({ after }, this.memory, place, this.#budget);
    });
  }

  fill(): void {
    for (const keeper of this.#keepers) keeper.fill();
  }

  /** Readers see all of the batch at once. */
  apply(lines: readonly WriteLine[], outcomes: readonly Outcome[], at: string): void {
    const time = Date.parse(at);
    /** Of the last addition: most writes are additions of one caller to one collection. */
    let prefix: string | undefined;
    let place = -1;
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index] ?? '';
      const outcome = outcomes[index] ?? 'missing';
      if (typeof outcome !== 'number') this.#applyOther(line, outcome, time);
      else if (prefix !== undefined && line.startsWith(prefix))
        this.#append(place, outcome, line.slice(prefix.length), time);
      else {
        const write = readLine(line);
        if (write.kind !== 'append' && write.kind !== 'append once') continue;
        place = write.place;
        prefix = write.kind === 'append' ? prefixOf(line) : undefined;
        this.#append(place, outcome, write.json, time);
      }
    }
    this.publish();
  }

  /** All records are read from the file again. */
  startOver(): void {
    for (const keeper of this.#keepers) keeper.startOver();
    this.publish();
  }

  publish(): void {
    this.memory.publish();
    this.level.memoryBytes = this.#budget.used;
  }

  /** Finalizes all statements: SQLite keeps the file open while one is left. */
  close(): void {
    for (const keeper of this.#keepers) keeper.close();
    for (const reader of this.#readers) reader.close();
  }

  #append(place: number, seq: number, given: string, time: number): void {
    const keeper = this.#keepers[place];
    if (keeper === undefined) return;
    const meta = { seq, version: 1, created: time, updated: time };
    if (this.collections[place]?.contract === undefined) keeper.appended(meta, undefined, given);
    else {
      const json = withId(given, seq);
      keeper.appended(meta, json === given ? idOf(json) : seq, json);
    }
  }

  #applyOther(line: WriteLine, outcome: Exclude<Outcome, number>, time: number): void {
    if (isBulked(outcome)) {
      const write = readLine(line);
      if (write.kind === 'bulk') this.#keepers[write.place]?.outgrown();
    } else if (isUpdated(outcome)) {
      const write = readLine(line);
      if (write.kind === 'update') applyUpdate(this.#keepers[write.place], write.seq, outcome, time);
    } else if (isRemoved(outcome)) {
      const write = readLine(line);
      if ('place' in write) applyRemoval(this.#keepers[write.place], outcome);
      for (const other of outcome.others ?? []) {
        if ('removed' in other) applyRemoval(this.#keepers[other.place], other);
        else applyUpdate(this.#keepers[other.place], other.seq, other, time);
      }
    }
  }
}

function idOf(json: string): bigint | number {
  const end = json.indexOf(',', idStart.length);
  const digits = json.slice(idStart.length, end < 0 ? json.length - 1 : end);
  return digits.length <= exactDigits ? Number(digits) : BigInt(digits);
}

function applyUpdate(
  keeper: Keeper | undefined,
  seq: number,
  { version, json, id, newId, next = 0 }: Updated,
  time: number,
): void {
  keeper?.replaced(seq, version, time, json);
  if (id !== undefined && newId !== undefined) keeper?.renamed(seq, BigInt(id), BigInt(newId), next);
}

function applyRemoval(keeper: Keeper | undefined, { removed, id, next = 0 }: Removed): void {
  keeper?.removed(removed, id === undefined ? undefined : BigInt(id), next);
}
