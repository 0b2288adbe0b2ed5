/**
 * An import that is under way, kept by the browser: after a reload it continues, with the file chosen again. It is kept until it
 * is forgotten.
 */
import type { RefusedRow } from '../../../../src/import/rows.ts';
import type { Counts } from '../../../../src/import/send-rows.ts';
import type { Plan } from '../plan.ts';
import type { RefusedRows } from './refused.ts';

export type Progress = Counts & {
  /** Rows of batches that are in, or refused. */
  readonly rows: number;
  /** The part of the file up to there, from 0 to 1. */
  readonly share: number;
  /** The key of the last of these batches: it recognises the file. Empty before the first. */
  readonly key: string;
};

export type Saved = {
  readonly plan: Plan;
  readonly name: string;
  readonly at: string;
  readonly isDone: boolean;
  readonly progress: Progress;
  /** Rows of the next batch that the server has refused: with them the body of the batch would be another one. */
  readonly leftOut: readonly RefusedRow[];
};

/** What an earlier page has left. */
export type Earlier = { readonly saved: Saved; readonly refused: readonly RefusedRows[] };

const stores = { imports: 'imports', refused: 'refused' };

function database(): Promise<IDBDatabase> {
  const request = indexedDB.open('shelf', 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(stores.imports);
    request.result.createObjectStore(stores.refused, { autoIncrement: true }).createIndex('collection', 'collection');
  };
  return answered(request);
}

function answered<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Runs in one transaction; rejects if the browser keeps nothing. */
async function within<Result>(
  mode: IDBTransactionMode,
  work: (imports: IDBObjectStore, refused: IDBObjectStore) => Promise<Result> | Result,
): Promise<Result> {
  const opened = await database();
  try {
    const transaction = opened.transaction(Object.values(stores), mode);
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    // If the work fails, that is the reason to report.
    done.catch(() => {});
    const result = await work(transaction.objectStore(stores.imports), transaction.objectStore(stores.refused));
    await done;
    return result;
  } finally {
    opened.close();
  }
}

/** The state and the rows that were refused since the last one, both or neither. */
export function save(saved: Saved, rows?: RefusedRows): Promise<void> {
  const { collection } = saved.plan;
  return within('readwrite', (imports, refused) => {
    imports.put(saved, collection);
    if (rows !== undefined && rows.count > 0) refused.add({ ...rows, collection });
  });
}

export function load(collection: string): Promise<Earlier | undefined> {
  return within('readonly', async (imports, refused) => {
    const saved: Saved | undefined = await answered(imports.get(collection));
    if (saved === undefined) return undefined;
    return { saved, refused: await answered(refused.index('collection').getAll(collection)) };
  });
}

export function forgetAll(): Promise<void> {
  return within('readwrite', (imports, refused) => {
    imports.clear();
    refused.clear();
  });
}

export function forget(collection: string): Promise<void> {
  return within('readwrite', async (imports, refused) => {
    imports.delete(collection);
    for (const key of await answered(refused.index('collection').getAllKeys(collection))) refused.delete(key);
  });
}
