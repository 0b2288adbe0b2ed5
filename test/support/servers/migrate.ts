/** `shelf migrate` within the process of the tests. */
import type { Collection } from '../../../src/domain/record/collection.ts';
import { openEngine } from '../../../src/storage/open.ts';
import { defaults, engineOf } from './engine.ts';

/** Returns the steps that were done; rejects with the refusal. */
export async function migrate(
  database: string,
  collections: readonly Collection[],
  allowed: readonly string[] = [],
): Promise<string[]> {
  const steps: string[] = [];
  const store = openEngine(engineOf(database), collections, {
    ...defaults,
    onWaiting: () => {},
    permission: { risks: ['none', 'check'], allowed },
    onStep: (text) => steps.push(text),
  });
  try {
    await store.admin.ready;
    return steps;
  } finally {
    await store.admin.close();
  }
}
