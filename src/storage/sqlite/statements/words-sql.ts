/**
 * The table with the words of a collection: FTS5 with the words that Shelf has split, between spaces. Words have only the letters a to z and the digits of
 * ASCII, and the tokenizer `ascii` leaves these and all other characters as they are.
 */
import type { Collection } from '../../../domain/record/collection.ts';
import { type Identifier, identifier } from '../../../domain/sql-text.ts';
import type { Lookup } from '../../../domain/words/split.ts';
import { wordsColumn } from '../../word-index.ts';

type Searched = Pick<Collection, 'name' | 'searched'>;

/** No collection can have this name. */
export function wordsTable(collection: string): Identifier {
  return identifier(wordsTableName(collection));
}

export function wordsTableName(collection: string): string {
  return `${collection}:words`;
}

/** Without the texts and the places of words in them. */
const options = "content='', contentless_delete=1, detail=column, tokenize='ascii'";

/** Nothing if no field is searched. */
export function createWords({ name, searched }: Searched): string[] {
  if (searched.length === 0) return [];
  return [`create virtual table ${wordsTable(name)} using fts5(${columnsOf(searched)}, ${options})`];
}

/** Whether SQLite runs nothing but its own code for a virtual table. */
export function isWordsTable(sql: string): boolean {
  const names = '"[a-z][a-z0-9_]*:words"';
  return new RegExp(`^create virtual table ${names} using fts5\\((${names}, )+${RegExp.escape(options)}\\)$`, 'i').test(
    sql,
  );
}

export function wordStatements({ name, searched }: Searched) {
  const table = wordsTable(name);
  return {
    add: `insert into ${table} (rowid, ${columnsOf(searched)}) values (?, ${searched.map(() => '?').join(', ')})`,
    remove: `delete from ${table} where rowid = ?`,
  };
}

/** What the operator `match` takes: each word in one of the fields. */
export function matchOf(fields: readonly string[], lookups: readonly Lookup[]): string {
  const columns = `{${fields.map((field) => identifier(wordsColumn(field))).join(' ')}}`;
  return lookups.map(({ word, isStart }) => `(${columns} : "${word}"${isStart ? ' *' : ''})`).join(' AND ');
}

function columnsOf(searched: readonly string[]): string {
  return searched.map((field) => identifier(wordsColumn(field))).join(', ');
}
