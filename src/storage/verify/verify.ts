/** Reads everything in a database, and says what is wrong. */
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { impossibleTransaction } from '../rows/change.ts';
import { type Asked, constraintViolations } from '../transfer/constraints.ts';
import type { Batches, SourceDatabase } from '../transfer/contents.ts';
import { eventLoopYield } from '../transfer/event-loop-yield.ts';
import { outlineProblems } from '../transfer/numbers.ts';
import { changeProblem, type LastChange } from './check-change.ts';
import { recordProblem } from './check-record.ts';
import { Findings } from './findings.ts';

/** A database that is verified, and what its engine can be asked besides its contents. */
export type VerifySource = SourceDatabase &
  Asked & {
    /** What the engine itself finds wrong. */
    integrity(): Promise<readonly string[]>;
    /** By id of the record. */
    lastChanges(of: Collection): Batches<LastChange>;
    /** What is wrong in the index of words, one line each. Called for a collection with searched fields. */
    wordProblems(of: Collection): Batches<string>;
    /** If `use` fails, the rest can still be read. */
    guarded<Result>(use: () => Promise<Result>): Promise<Result>;
  };

export type VerifyOptions = {
  readonly onRows: (rows: number) => void;
  /** Called before the engine checks itself, and before the records are read. */
  readonly onStep: (step: 'integrity' | 'records') => void;
  readonly signal: AbortSignal;
};

export async function verify(source: VerifySource, { onRows, onStep, signal }: VerifyOptions): Promise<Findings> {
  const findings = new Findings();
  const { outline } = source;
  onStep('integrity');
  for (const line of await source.integrity()) findings.add(line);
  for (const line of outlineProblems(outline)) findings.add(line);
  onStep('records');
  const yieldToEvents = eventLoopYield();

  /** A part that cannot be read is a finding; the others are still read. */
  async function attempt(name: string, check: () => Promise<void>): Promise<void> {
    try {
      await source.guarded(check);
    } catch (error) {
      signal.throwIfAborted();
      findings.add(`${name}: cannot be read (${(error as Error).message})`);
    }
  }

  for (const { collection, last } of outline.parts) {
    const { name } = collection;
    await attempt(name, async () => {
      const changes = new Following(source.lastChanges(collection));
      for await (const records of source.records(collection)) {
        signal.throwIfAborted();
        for (const stored of records) {
          const problem = recordProblem(collection, stored);
          if (problem !== undefined) findings.add(`${name} ${stored.recordId}: ${problem}`);
          if (stored.recordId > last)
            findings.add(`${name} ${stored.recordId}: its id was never given out (the last is ${last})`);
          await compareUntil(changes, collection, stored, findings);
        }
        onRows(records.length);
        await yieldToEvents();
      }
      await compareUntil(changes, collection, undefined, findings);
    });
    if (collection.searched.length > 0)
      await attempt(name, async () => {
        for await (const lines of source.wordProblems(collection)) {
          signal.throwIfAborted();
          for (const line of lines) findings.add(line);
          await yieldToEvents();
        }
      });
    await attempt(name, async () => {
      for (const line of await constraintViolations([collection], source)) findings.add(line);
    });
  }
  await attempt('changes', () => checkNumbers(source, findings));
  return findings;
}

/** Compares the changes of records before `stored`, which are missing, and that of `stored` itself. */
async function compareUntil(
  changes: Following,
  collection: Collection,
  stored: Stored | undefined,
  findings: Findings,
): Promise<void> {
  for (let next = await changes.peek(); next !== undefined; next = await changes.peek()) {
    if (stored !== undefined && next.recordId > stored.recordId) return;
    changes.take();
    const problem = changeProblem(collection, next.recordId === stored?.recordId ? stored : undefined, next);
    if (problem !== undefined) findings.add(`${collection.name} ${next.recordId}: ${problem}`);
  }
}

/** The last changes, one at a time, beside the records. */
class Following {
  readonly #batches: AsyncIterator<readonly LastChange[]> | Iterator<readonly LastChange[]>;
  #batch: readonly LastChange[] = [];
  #at = 0;

  constructor(batches: Batches<LastChange>) {
    this.#batches = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  }

  /** The next one; undefined at the end. */
  peek(): LastChange | undefined | Promise<LastChange | undefined> {
    return this.#at < this.#batch.length ? this.#batch[this.#at] : this.#load();
  }

  take(): void {
    this.#at++;
  }

  async #load(): Promise<LastChange | undefined> {
    const { done, value } = await this.#batches.next();
    this.#batch = done ? [] : value;
    this.#at = 0;
    return this.#batch[0];
  }
}

async function checkNumbers({ outline: { changes, trimmed }, ask }: VerifySource, findings: Findings): Promise<void> {
  const bounds = await ask('select min(seq), max(seq) from changes having count(*) > 0');
  if (bounds === undefined) return;
  const [first, last] = bounds;
  if (first <= trimmed) findings.add(`change ${first} is there, though the history is trimmed up to ${trimmed}`);
  if (last > changes.last) findings.add(`change ${last} is there, and the last number given to one is ${changes.last}`);
  const impossible = await ask(
    `select seq, seq from changes where ${impossibleTransaction(changes.last)} order by seq limit 1`,
  );
  if (impossible !== undefined) findings.add(`change ${impossible[0]} is of a transaction that is not possible`);
  const alone = await ask(partOfTransaction(trimmed));
  if (alone !== undefined)
    findings.add(
      `change ${alone[0]} is of a transaction from ${alone[1]} on, and the change before or after it is missing`,
    );
}

/** A change whose transaction lacks the change before or after it, unless that is trimmed. */
function partOfTransaction(trimmed: number): string {
  const lacks = (neighbour: string) => `not exists (select 1 from changes as _other where _other.seq = ${neighbour}
    and _other.transaction_first = _one.transaction_first and _other.transaction_size = _one.transaction_size)`;
  return `select seq, transaction_first from changes as _one where transaction_first is not null and (
    (seq > transaction_first and seq - 1 > ${trimmed} and ${lacks('_one.seq - 1')})
    or (seq < transaction_first + transaction_size - 1 and ${lacks('_one.seq + 1')})
  ) order by seq limit 1`;
}
