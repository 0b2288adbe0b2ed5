/**
 * `npm test` loads this file before each test file. Tests start hundreds of servers in their own process, and a thread that was
 * compiled in advance takes half of the processor time of one that is read from src/.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const { TESTED_THREADS } = process.env;
const source = `file://${join(import.meta.dir, '../../../src')}/`;

/** The compiled file of a thread; any other URL is returned as it is. */
function built(url: string, folder: string): string {
  const file = join(folder, url.slice(source.length).replace(/\.ts$/, '.js'));
  return url.startsWith(source) && existsSync(file) ? `file://${file}` : url;
}

if (TESTED_THREADS !== undefined) {
  const folder = TESTED_THREADS;
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(built(String(url), folder), options);
    }
  };
}
