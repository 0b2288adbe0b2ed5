/** Reads everything in a database, and says what is wrong. */
import type { Collection } from '../../domain/collection.ts';
import type { Stored } from '../../domain/record.ts';
import type { Batches } from '../transfer/contents.ts';
import { outlineProblems } from '../transfer/numbers.ts';
import { brokenRules } from '../transfer/rules.ts';
import { eventLoopYield } from '../transfer/yield-turn.ts';
import { changeProblem } from './check-change.ts';
import { recordProblem } from './check-record.ts';
import type { Examined, LastChange } from './examined.ts';
import { Findings } from './findings.ts';

export type VerifyOptions = {
  readonly onRows: (rows: number) => void;
  /** Called before the engine checks itself, and before the records are read. */
  readonly onStep: (step: 'integrity' | 'records') => void;
  readonly signal: AbortSignal;
};

export async function verify(examined: Examined, { onRows, onStep, signal }: VerifyOptions): Promise<Findings> {
  const findings = new Findings();
  const { outline } = examined;
  onStep('integrity');
  for (const line of await examined.integrity()) findings.add(line);
  for (const line of outlineProblems(outline)) findings.add(line);
  onStep('records');
  const breathe = eventLoopYield();

  /** A part that cannot be read is a finding; the others are still read. */
  async function attempt(name: string, check: () => Promise<void>): Promise<void> {
    try {
      await examined.guarded(check);
    } catch (error) {
      signal.throwIfAborted();
      findings.add(`${name}: cannot be read (${(error as Error).message})`);
    }
  }

  for (const { collection, last } of outline.parts) {
    const { name } = collection;
    await attempt(name, async () => {
      const changes = new Following(examined.lastChanges(collection));
      for await (const records of examined.records(collection)) {
        signal.throwIfAborted();
        for (const stored of records) {
          const problem = recordProblem(collection, stored);
          if (problem !== undefined) findings.add(`${name} ${stored.seq}: ${problem}`);
          if (stored.seq > last)
            findings.add(`${name} ${stored.seq}: its id was never given out (the last is ${last})`);
          await compareUntil(changes, collection, stored, findings);
        }
        onRows(records.length);
        await breathe();
      }
      await compareUntil(changes, collection, undefined, findings);
    });
    await attempt(name, async () => {
      for (const line of await brokenRules([collection], examined.ask)) findings.add(line);
    });
  }
  await attempt('changes', () => checkNumbers(examined, findings));
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
    if (stored !== undefined && next.seq > stored.seq) return;
    changes.take();
    const problem = changeProblem(collection, next.seq === stored?.seq ? stored : undefined, next);
    if (problem !== undefined) findings.add(`${collection.name} ${next.seq}: ${problem}`);
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

async function checkNumbers({ outline: { changes, trimmed }, ask }: Examined, findings: Findings): Promise<void> {
  const bounds = await ask('select min(seq), max(seq) from changes having count(*) > 0');
  if (bounds === undefined) return;
  const [first, last] = bounds;
  if (first <= trimmed) findings.add(`change ${first} is there, though the history is trimmed up to ${trimmed}`);
  if (last > changes.last) findings.add(`change ${last} is there, and the last number given to one is ${changes.last}`);
}
