/** A thread of the test of concurrent readers: reads the table in every way, and reports what is wrong. */
import { Level } from './level.ts';
import { listParts } from './list-parts.ts';
import { MemoryReader, type SharedMemory } from './reader.ts';
import type { Table } from './table.ts';

declare const self: Worker;

/** In reads: to check all records takes as long as hundreds of reads of one. */
const pageEvery = 400;
const listEvery = 1000;

/** What the first record says of the commit that wrote it. */
export type Head = {
  readonly id: 1;
  readonly commit: number;
  readonly changed: readonly number[];
  readonly count: number;
};
export type Other = { readonly id: number; readonly commit: number; readonly text: string };
/** `commits` are those that it has seen. */
export type Report = { readonly commits: number; readonly mistakes: readonly string[] };

export type Start = {
  readonly memory: SharedMemory;
  readonly level: SharedArrayBuffer;
  /** How often it reads. */
  readonly reads: number;
};

self.onmessage = ({ data: { memory, level, reads: wanted } }: MessageEvent<Start>) => {
  const table = new MemoryReader(memory, new Level(level)).table(0);
  const mistakes: string[] = [];
  const seen = new Set<number>();
  let last = 0;
  let reads = 0;

  function read<Result>(from: (table: Table) => Result): Result | undefined {
    reads++;
    return table.read(from);
  }

  function expect(holds: boolean, what: string): void {
    if (!holds && mistakes.length < 10) mistakes.push(what);
  }

  /** Whatever was seen once is seen from then on. */
  function sawCommit(commit: number): void {
    expect(commit >= last, `commit ${commit} after ${last}`);
    last = commit;
    seen.add(commit);
  }

  function checkAll(records: readonly (Head | Other)[], how: string): void {
    const [head, ...others] = records as [Head, ...Other[]];
    sawCommit(head.commit);
    expect(others.length === head.count, `${how}: ${others.length} records instead of ${head.count}`);
    const byId = new Map(others.map((other) => [other.id, other]));
    for (const id of head.changed)
      expect(byId.get(id)?.commit === head.commit, `${how}: commit ${head.commit} without its record ${id}`);
    for (const { id, commit, text } of others) {
      expect(commit <= head.commit, `${how}: record ${id} is of commit ${commit}, after ${head.commit}`);
      expect(text === textOf(id, commit), `${how}: record ${id} is torn`);
    }
  }

  while (reads < wanted) {
    const id = BigInt(1 + Math.floor(Math.random() * 300));
    const found = read((seen) => seen.find(id));
    if (found !== undefined) {
      const record = JSON.parse(Buffer.from(found).toString()) as Head | Other;
      expect(BigInt(record.id) === id, `record ${record.id} instead of ${id}`);
      if ('text' in record) expect(record.text === textOf(record.id, record.commit), `record ${id} is torn`);
      else sawCommit(record.commit);
    }
    if (reads % pageEvery === 0) {
      const page = read((seen) =>
        [...seen.from(0, false)].map(({ source, start, length }) => source.toString('utf8', start, start + length)),
      );
      checkAll(JSON.parse(`[${page?.join()}]`), 'page');
    }
    if (reads % listEvery === 0) {
      // As a slow reader does: what is in the list must not change meanwhile.
      const parts = listParts(table, read((seen) => seen.tag) ?? '');
      for (let turn = 0; turn < 3; turn++) read((seen) => seen.find(id));
      // It may have changed since its tag was read.
      if (parts !== undefined) checkAll(JSON.parse(Buffer.concat([...parts]).toString()), 'list');
    }
  }
  self.postMessage({ commits: seen.size, mistakes } satisfies Report);
};

/** Every byte of a record is known. */
export function textOf(id: number, commit: number): string {
  return String.fromCharCode(97 + (commit % 26)).repeat(1 + ((id * 31 + commit * 17) % 200));
}
