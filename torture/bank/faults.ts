/** Planted faults that break a transaction. */
import type { PlantedFault } from '../support/edited-source.ts';

/** In milliseconds: how long a part is visible. */
const visibleMs = 5;

/** In files of src/storage/sqlite/writer. */
export const bankFaults: Readonly<Record<string, PlantedFault>> = {
  // The first one stays if a later one fails.
  'one operation applied outside of the transaction': {
    'writer.ts': [
      [
        'return { operation, fault };',
        `const failed = { operation, fault };
        const first = { ...write, steps: write.steps.slice(0, 1), once: undefined };
        if (operation > 0) effects.set(failed, transactions.apply(first, now).effects);
        return failed;`,
      ],
    ],
  },
  'a part of a transaction shown': {
    'memory/records-in-memory.ts': [
      [
        'if (each !== undefined) for (const effect of each) this.#show(effect, moment);',
        `if (each !== undefined) for (const effect of each) {
          this.#show(effect, moment);
          this.publish();
          Bun.sleepSync(${visibleMs});
        }`,
      ],
    ],
  },
  'the key of a transaction not stored': {
    'transaction/apply-transaction.ts': [['if (once !== undefined) keys.store(', 'if (once === null) keys.store(']],
  },
};
