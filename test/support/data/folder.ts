/** A folder of its own for one test file, removed at the end. */
import { afterAll } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
