/** `shelf import FILE` in this process, with small batches. */
import { readCommand } from '../../../src/cli/config/config.ts';
import { importFile } from '../../../src/cli/import-file/import-file.ts';
import { openDatabase } from '../../../src/cli/import-file/target/database-target.ts';
import type { Target } from '../../../src/cli/import-file/target/import-target.ts';
import { openServer } from '../../../src/cli/import-file/target/server-target.ts';
import type { Collection } from '../../../src/domain/record/collection.ts';
import { defaults, engineOf, engineOptions } from './engine.ts';

const eraseLine = '\r\u001b[K';

export type To = {
  readonly collection: Collection;
  /** All that the database has. */
  readonly collections: readonly Collection[];
  /** The URL of a server, or of a database. */
  readonly to: string;
  /** An API key, for a server. */
  readonly apiKey?: string;
};

export type Order = {
  readonly file: string;
  /** As on the command line. */
  readonly args?: readonly string[];
  /** Stops the import, like Ctrl-C, when this many batches are in. One more may follow, which is being sent. */
  readonly stopAfter?: number;
  readonly batchRows?: number;
};

/** `key` are the fields of a unique rule. */
export function targetOf({ to, apiKey, collection, collections }: To, key?: readonly string[]): Promise<Target> {
  if (to.startsWith('http')) return openServer(to, collection.name, apiKey, key);
  const database = { ...defaults.database, url: engineOf(to) };
  return openDatabase('db', collection, collections, { ...engineOptions, database }, key);
}

/** Resolves with the exit code and all that it says. */
export async function importHere(order: To & Order) {
  const target = await targetOf(order, keyIn(order.args));
  try {
    return await importInto(target, order);
  } finally {
    await target.close();
  }
}

function keyIn(args: Order['args'] = []): readonly string[] | undefined {
  const at = args.indexOf('--key');
  return at < 0 ? undefined : args[at + 1]?.split(',');
}

export async function importInto(target: Target, { file, args = [], stopAfter, batchRows = 10 }: Order) {
  const command = readCommand(['import', file, '--collection', target.collection.name, ...args], {});
  if (command.kind !== 'import') throw new Error('it is an import');
  const stopping = new AbortController();
  let said = '';
  /** As a terminal shows it: a line that is erased is not there. */
  const write = (text: string) => {
    const isErased = text.startsWith(eraseLine);
    said = isErased ? said.slice(0, said.lastIndexOf('\n') + 1) + text.slice(eraseLine.length) : said + text;
  };
  const code = await importFile(command.order, stoppedAfter(target, stopAfter, stopping), {
    maxRow: defaults.limits.maxBody,
    signal: stopping.signal,
    screen: { isTTY: true, write },
    say: (line) => write(`${line}\n`),
    batchRows,
  });
  return { code, said };
}

function stoppedAfter(target: Target, batches: number | undefined, stopping: AbortController): Target {
  let committed = 0;
  return {
    ...target,
    async bulk(isLarge) {
      const bulk = await target.bulk(isLarge);
      return {
        add: (records) => bulk.add(records),
        async commit(listed, isAgain) {
          const imported = await bulk.commit(listed, isAgain);
          if (listed.some(({ records }) => records > 0) && ++committed === batches) stopping.abort();
          return imported;
        },
        check: () => bulk.check(),
        close: () => bulk.close(),
      };
    },
  };
}
