/**
 * Several readers and one writer of shared memory, each on its own thread. Readers are ended while they hold roots, and others take their
 * places. At last the writer is ended in the middle of a commit: readers still see the last root, and then that there is none.
 */
import { Roots } from '../../src/storage/sqlite/memory/atomics.ts';
import type { FromReader, StartReader } from './reader-thread.ts';
import type { FromWriter, StartWriter } from './writer-thread.ts';

export type RaceResult = {
  readonly figures: Readonly<Record<'reads' | 'lists' | 'commits' | 'readers ended', number>>;
  readonly mistakes: readonly string[];
};

export type RaceOptions = {
  readonly readers: number;
  readonly reads: number;
  /** After this many reads, a reader is ended. */
  readonly endEvery: number;
  /** Of the threads, without their extension. */
  readonly files?: { readonly reader: string; readonly writer: string };
};

/** Reads after the writer has ended, and after its last root was taken away. */
const readsAfter = 5000;
const mostReadsAfterEnd = 100_000;

const source = {
  reader: new URL('./reader-thread.ts', import.meta.url).href,
  writer: new URL('./writer-thread.ts', import.meta.url).href,
};

export async function race({ readers, reads, endEvery, files = source }: RaceOptions): Promise<RaceResult> {
  const figures = { reads: 0, lists: 0, commits: 0, 'readers ended': 0 };
  const mistakes: string[] = [];
  const over = Promise.withResolvers<void>();
  const roots = new Roots();
  const writer = new Worker(files.writer);
  const running = new Set<Worker>();
  let nextEnd = endEvery;
  let writerEnded = false;
  /** At which the last root is taken away. */
  let lastRead = Number.POSITIVE_INFINITY;

  function startReader({ memory }: { readonly memory: StartReader['memory'] }): void {
    const reader = new Worker(files.reader);
    running.add(reader);
    reader.onerror = ({ message }) => fail(`a reader has ended: ${message}`);
    reader.onmessage = ({ data }: MessageEvent<FromReader>) => received(reader, data);
    reader.postMessage({ memory } satisfies StartReader, [memory.port]);
  }

  function received(reader: Worker, report: FromReader): void {
    if (!running.has(reader)) return;
    figures.reads += report.reads;
    figures.lists += report.lists;
    mistakes.push(...report.mistakes);
    if (report.ended) {
      if (!writerEnded) mistakes.push('a reader has found no root before the writer has ended');
      end(reader);
      if (running.size === 0) over.resolve();
    } else if (mistakes.length > 0) over.resolve();
    else if (figures.reads >= reads && !writerEnded) endWriter();
    else if (figures.reads >= nextEnd && !writerEnded) {
      nextEnd += endEvery;
      figures['readers ended']++;
      end(reader);
      writer.postMessage('share');
    } else if (figures.reads >= lastRead) roots.end();
    if (figures.reads > lastRead + mostReadsAfterEnd) fail('a reader still finds a root after the writer has ended');
  }

  function end(reader: Worker): void {
    running.delete(reader);
    reader.terminate();
  }

  function endWriter(): void {
    writerEnded = true;
    writer.terminate();
    lastRead = figures.reads + readsAfter;
  }

  function fail(mistake: string): void {
    mistakes.push(mistake);
    over.resolve();
  }

  writer.onerror = ({ message }) => fail(`the writer has ended: ${message}`);
  writer.onmessage = ({ data }: MessageEvent<FromWriter>) => {
    if ('memory' in data) return startReader(data);
    if (data.commits === 0) for (let index = 0; index < readers; index++) writer.postMessage('share');
    figures.commits = data.commits;
    if (data.mistake !== undefined) fail(data.mistake);
  };
  writer.postMessage({ roots: roots.shared } satisfies StartWriter);
  await over.promise;
  writer.terminate();
  for (const reader of running) reader.terminate();
  return { figures, mistakes };
}
