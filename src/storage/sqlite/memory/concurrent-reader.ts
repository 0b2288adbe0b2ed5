/** A thread of the test of concurrent readers: reads the table in every way until it is told to stop, and reports what is wrong. */
import { listParts } from './list-parts.ts';
import { Root } from './root.ts';
import { Table } from './table.ts';
import { Version } from './version.ts';
import { type Segment, View } from './view.ts';

declare const self: Worker;

/** What the first record says of the commit that wrote it. */
export type Head = {
  readonly id: 1;
  readonly commit: number;
  readonly changed: readonly number[];
  readonly count: number;
};
export type Other = { readonly id: number; readonly commit: number; readonly text: string };
export type Report = { readonly reads: number; readonly commits: number; readonly mistakes: readonly string[] };

self.onmessage = ({ data: { segments, stop } }: MessageEvent<{ segments: Segment[]; stop: SharedArrayBuffer }>) => {
  const [first = new SharedArrayBuffer(0)] = segments;
  const stopped = new Int32Array(stop);
  const version = new Version(first);
  const view = new View(segments);
  const of = new Root(first, 0);
  const table = new Table(view, of, () => version.verify());
  const mistakes: string[] = [];
  const seen = new Set<number>();
  let last = 0;
  let reads = 0;

  function read<Result>(from: (version: number) => Result): Result {
    reads++;
    return version.read((current) => {
      of.load(current);
      return from(current);
    });
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

  while (Atomics.load(stopped, 0) === 0) {
    const id = BigInt(1 + Math.floor(Math.random() * 300));
    const found = read(() => table.find(id));
    if (found !== undefined) {
      const record = JSON.parse(Buffer.from(found).toString()) as Head | Other;
      expect(BigInt(record.id) === id, `record ${record.id} instead of ${id}`);
      if ('text' in record) expect(record.text === textOf(record.id, record.commit), `record ${id} is torn`);
      else sawCommit(record.commit);
    }
    if (reads % 8 === 0) {
      const page = read(() =>
        [...table.from(0, false)].map(({ source, start, length }) => source.toString('utf8', start, start + length)),
      );
      checkAll(JSON.parse(`[${page.join()}]`), 'page');
    }
    if (reads % 5 === 0) {
      // As a slow reader does: what is in the list must not change meanwhile.
      const parts = listParts(table, view, { pin: () => version.pin(), read });
      for (let turn = 0; turn < 3; turn++) read(() => table.find(id));
      checkAll(JSON.parse(Buffer.concat([...parts]).toString()), 'list');
    }
  }
  self.postMessage({ reads, commits: seen.size, mistakes } satisfies Report);
};

/** Every byte of a record is known. */
export function textOf(id: number, commit: number): string {
  return String.fromCharCode(97 + (commit % 26)).repeat(1 + ((id * 31 + commit * 17) % 200));
}
