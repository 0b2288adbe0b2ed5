/** Checks a record against its declaration, with the code that checks what clients send. */
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import { storedIn } from '../transfer/folder/stored-line.ts';

/** The problem with a record; undefined if there is none. */
export function recordProblem(collection: Collection, stored: Stored): string | undefined {
  const { record } = collection;
  const line = record.encode(stored);
  const read = storedIn(collection, line);
  if (typeof read === 'string') return read;
  return record.encode(read) === line ? undefined : 'a value is not written as its type writes it';
}
