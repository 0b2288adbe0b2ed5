/** Planted faults for each rule of shared memory, in the files of src/storage/sqlite/memory. The race must find each. */
import { join } from 'node:path';
import { root } from '../../scripts/server-entries.ts';
import { editedSource, type PlantedFault } from '../support/edited-source.ts';

/** Of a planted wait: a reader would otherwise be between two steps for nanoseconds only. */
const wait = 'for (let step = 0; step < 20_000; step++) Atomics.load(this.#words, rootAt);';

export const faults: Readonly<Record<string, PlantedFault>> = {
  'a reader does not announce its root': {
    'atomics.ts': [['      Atomics.store(this.#words, this.#slot, root);\n', '']],
  },
  'a reader does not look again after it has announced its root': {
    'atomics.ts': [
      ['Atomics.store(this.#words, this.#slot, root);', `${wait} Atomics.store(this.#words, this.#slot, root);`],
      ['if (current === root) return root;', 'return root;'],
    ],
  },
  'a slot does not hold a pinned root': {
    'atomics.ts': [['if (this.#pins.size === 0) Atomics.store(', 'Atomics.store(']],
  },
  'a slot has the newest root, not the oldest': {
    'atomics.ts': [
      ['this.#pins.add(pin);', 'this.#pins.add(pin); Atomics.store(this.#words, this.#slot, this.#root);'],
      ['if (this.#pins.size > 0) return root;', ''],
    ],
  },
  'an unpinned root takes others with it': {
    'atomics.ts': [['oldest?.root ?? this.#root', '0']],
  },
  'pages are used again while a reader holds them': {
    'memory.ts': [['?? oldest);', '* Number.POSITIVE_INFINITY || oldest);']],
  },
  'the slot of a reader that has ended is not freed': {
    'memory.ts': [
      ['      this.#ports.delete(slot);\n', ''],
      ['      this.roots.free(slot);\n', ''],
    ],
  },
  'a root is published before it is complete': {
    'memory.ts': [
      [
        'if (before !== 0) this.#pages.copy(before',
        'this.roots.publish(root); if (before !== 0) this.#pages.copy(before',
      ],
      ['    this.roots.publish(root);\n', ''],
    ],
  },
  'a table is published alone': {
    'memory.ts': [
      [
        'if (this.#touched.delete(table)) table.store(root, place);',
        'if (this.#touched.delete(table)) { table.store(root, place); table.store(before || root, place); }',
      ],
    ],
  },
  'a page that a root shows is changed': {
    'table-pages.ts': [['if (this.isFresh(page)) return page;', 'return page;']],
  },
  'a leaf that a root shows is changed': {
    'memory-table.ts': [['this.own.isFresh(from) ? from', 'true ? from']],
  },
  'a fresh page stays fresh after its commit': {
    'pages/allocator.ts': [['this.#fresh.clear();', '']],
  },
  'a reader finds records that its root does not show': {
    'contract-ids.ts': [['if (record === 0 || record > records) return 0;', 'if (record === 0) return 0;']],
  },
  'an id of a record that a root shows is added in place': {
    'contract-ids.ts': [['record > this.published ? head', 'true ? head']],
  },
  'a reader takes the length of the last leaf from the leaf': {
    'snapshot.ts': [['index === this.header.leaves - 1 ? this.header.tailUsed : ', '']],
    'memory-table.ts': [
      [
        '    if (contractId !== undefined) this.#ids.add(',
        '    pages.setWord(page, leaf.used, header.tailUsed);\n    if (contractId !== undefined) this.#ids.add(',
      ],
    ],
  },
  'a list follows the current root': {
    'reader.ts': [
      [
        'return snapshot.isReady ? { snapshot, release: this.memory.pin() } : undefined;',
        'return snapshot.isReady ? { snapshot: this.#snapshot, release: this.memory.pin() } : undefined;',
      ],
    ],
  },
  'a root is published before its segments are sent': {
    'memory.ts': [['    this.roots.segmentsChanged();\n', '']],
  },
  'a segment is given back while a reader holds it': {
    'pages/allocator.ts': [
      [
        'else this.#retired.push({ page, size, epoch });',
        'else { this.#retired.push({ page, size, epoch }); add(this.#inUse, page, -size); }',
      ],
      ['of gone) this.#put(page, size);', 'of gone) { add(this.#inUse, page, size); this.#put(page, size); }'],
    ],
  },
  'a reader goes on with the last root after the writer has ended': {
    'atomics.ts': [
      ['let root = Atomics.load(this.#words, rootAt);', 'let root = Atomics.load(this.#words, rootAt) || this.last;'],
      ['if (current === root) return root;', 'if (current === root || current === 0) return (this.last = root);'],
    ],
  },
};

/** Builds the threads of the race with a fault. */
export async function buildFaultyThreads(outdir: string, fault: PlantedFault) {
  const { success, logs } = await Bun.build({
    entrypoints: ['reader', 'writer'].map((name) => join(root, `torture/race/${name}-thread.ts`)),
    outdir,
    target: 'bun',
    files: editedSource('src/storage/sqlite/memory', fault),
    throw: false,
  });
  if (!success) throw new Error(logs.join('\n'));
  return { reader: join(outdir, 'reader-thread.js'), writer: join(outdir, 'writer-thread.js') };
}
