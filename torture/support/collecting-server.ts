/** A server that collects all its garbage when it is asked to, and reports the size of the objects that are left. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../test/support/servers/process.ts';

/** Settings of collect.ts: files. */
export const [askedIn, liveIn] = ['COLLECT_ASKED_IN', 'COLLECT_LIVE_IN'];

export class CollectingServer {
  /** How to start it from its source. */
  readonly start: { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };
  readonly #asked: string;
  readonly #live: string;
  #times = 0;

  constructor(folder: string, name: string) {
    this.#asked = join(folder, `collections asked of ${name}`);
    this.#live = join(folder, `live memory of ${name}`);
    writeFileSync(this.#asked, '');
    writeFileSync(this.#live, '');
    const { TESTED_THREADS } = process.env;
    const preloads = [join(root, 'test/support/threads/built-threads.ts'), join(import.meta.dir, 'collect.ts')];
    this.start = {
      command: [process.execPath, ...preloads.flatMap((path) => ['--preload', path]), join(root, 'src/cli/main.ts')],
      env: {
        [askedIn]: this.#asked,
        [liveIn]: this.#live,
        ...(TESTED_THREADS === undefined ? {} : { TESTED_THREADS }),
      },
    };
  }

  /** Asks all threads. Each collects within 0.1 s, unless it is busy, and stops for up to 0.1 s. */
  collect(): void {
    this.#times++;
    writeFileSync(this.#asked, String(this.#times));
  }

  /**
   * In MB, of all threads together; 0 before the first collection. The contents of strings and buffers do not count: on SQLite the
   * records are in a buffer that every thread counts, and that grows in large steps until removed records are cleared from it.
   */
  get liveMegabytes(): number {
    const lines = readFileSync(this.#live, 'utf8').trim().split('\n');
    const last = new Map(lines.map((line) => line.split(' ') as [thread: string, bytes: string]));
    return [...last.values()].reduce((sum, bytes = '0') => sum + Number(bytes), 0) / 2 ** 20;
  }
}
