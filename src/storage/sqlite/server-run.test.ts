/** A start after an interrupted one. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { items } from '../../collections/items.ts';
import type { Held, RunNote } from './file/lock.ts';
import { atStart } from './schema/evolution.ts';
import { beginRun } from './server-run.ts';

/** Another SQL client: locks the file, and unlocks it 100 ms after the shared number is set. */
const client = `
  import { Database } from 'bun:sqlite';
  self.onmessage = ({ data: { filename, begun } }) => {
    const db = new Database(filename);
    db.run('begin exclusive');
    self.postMessage('held');
    Atomics.wait(begun, 0, 0);
    Atomics.wait(begun, 0, 1, 100);
    db.run('rollback');
    db.close(true);
    self.postMessage('left');
  };`;

test('a start waits for another SQL client that locks the file for a moment', async () => {
  const filename = join(temporaryFolder(), 'x.db');
  writeFileSync(filename, '');
  const other = new Worker(URL.createObjectURL(new Blob([client], { type: 'text/javascript' })));
  const said = () =>
    new Promise<string>((resolve, reject) => {
      other.onmessage = ({ data }: MessageEvent<string>) => resolve(data);
      other.onerror = ({ message }) => reject(new Error(message));
    });
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const held = said();
  other.postMessage({ filename, begun });
  expect(await held).toBe('held');

  const interrupted: RunNote = {
    marks: [0],
    opening: true,
    lineage: '',
    lastNumber: undefined,
    reached: 0,
    inode: 0,
  };
  const lock: Held = { note: interrupted, write() {}, release() {} };
  const left = said();
  Atomics.store(begun, 0, 1);
  Atomics.notify(begun, 0);
  // The client cannot know when this waits, so it locks the file for much less than the five seconds of the wait.
  const run = beginRun(filename, [items], lock, filename, { ...atStart, onStep: () => {} });
  expect(run.isNew).toBe(true);
  run.end(run.db);
  expect(await left).toBe('left');
  other.terminate();
});
