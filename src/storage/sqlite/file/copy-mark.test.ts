import { expect, test } from 'bun:test';
import { type Arrival, arrivalOf, copyMark, type FileState } from './copy-mark.ts';
import type { RunNote } from './lock.ts';

const found: FileState = { size: 4096, inode: 7, born: 1000.5, mark: 11, wal: 0, journal: 0 };
const oldest: RunNote = { marks: [11], opening: false, lineage: 'a', lastNumber: 3, reached: 1 };
const old: RunNote = { ...oldest, inode: 7 };
const note: RunNote = { ...old, born: 1000.5 };

test.each<readonly [string, Partial<FileState>, RunNote | undefined, Arrival]>([
  ['the file of the last run', {}, note, 'same'],
  ['with another inode', { inode: 8 }, note, 'copy'],
  ['with the inode of the deleted file that it is a copy of', { born: 2000.5 }, note, 'copy'],
  ['with a note of a version that did not record the creation time', {}, old, 'same'],
  ['with a note of 0.5.0, which did not record the inode either', {}, oldest, 'same'],
  ['with the mark of another run than a note of 0.5.0', { mark: 12 }, oldest, 'copy'],
  ['on a file system that does not record the creation time', { born: 0 }, { ...note, born: 0 }, 'same'],
  ['with the mark of another run', { mark: 12 }, note, 'copy'],
  ['without a mark and a note, as older versions left it', { mark: 0 }, undefined, 'same'],
  ['empty', { size: 0 }, note, 'new'],
])('a file %s', (_, difference, noted, arrival) => {
  expect(arrivalOf({ ...found, ...difference }, noted, 'shelf.db')).toBe(arrival);
});

test.each<readonly [string, Partial<FileState>, RunNote | undefined, string]>([
  ['a journal', { journal: 512 }, note, 'shelf.db-journal is left over'],
  ['a WAL without its database', { size: 0, wal: 32 }, note, 'shelf.db is empty, but shelf.db-wal is not'],
  ['the WAL of the previous file', { mark: 12, wal: 32 }, note, 'shelf.db-wal belongs to the previous file'],
  ['a WAL beside a backup', { mark: copyMark, wal: 32 }, undefined, 'shelf.db-wal belongs to the previous file'],
])('%s is not replayed into the file', (_, difference, noted, message) => {
  expect(() => arrivalOf({ ...found, ...difference }, noted, 'shelf.db')).toThrow(message);
});
