/** Writes as the writing thread of SQLite gets them. */
import type { Once } from '../../../src/domain/store/once.ts';
import type { CreateWrite, Write } from '../../../src/storage/sqlite/writer/thread/write-message.ts';

export function create(place: number, json: string, by?: string, once?: Once): CreateWrite {
  return { op: 'create', place, by, once, json };
}

export function update(place: number, recordId: number, json: string): Write {
  return { op: 'update', place, by: undefined, recordId, when: undefined, json };
}
