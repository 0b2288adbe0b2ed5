/** Makes the columns with the words of records: for declared fields, and anew for another version of the splitter. */
import type { SQL } from 'bun';
import type { Evolution } from '../../../declarations/refusal.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import {
  indexing,
  isSplitNow,
  recordsAtOnce,
  versionsAfter,
  wordsColumn,
  wordsSetting,
  wordsVersions,
} from '../../word-index.ts';
import { vectorOf } from '../statements/words.ts';

export async function versionsIn(sql: SQL): Promise<ReturnType<typeof wordsVersions>> {
  const [row] = await sql`select value from settings where name = ${wordsSetting}`.values();
  return wordsVersions(row?.[0]);
}

/** Whether all columns have the words of this version. */
export async function areSplitNow(sql: SQL, collections: readonly Collection[]): Promise<boolean> {
  const versions = await versionsIn(sql);
  return collections.every(({ name, searched }) => searched.length === 0 || isSplitNow(versions, name));
}

/** Returns whether records were split that were split before: servers with the earlier version must stop. Says how far it is. */
export async function keepWords(sql: SQL, collections: readonly Collection[], onStep: Evolution['onStep']) {
  const versions = await versionsIn(sql);
  let isAgain = false;
  for (const collection of collections) {
    const { name, searched } = collection;
    const found = await columnsIn(sql, name);
    const wanted = searched.map(wordsColumn);
    const isOld = versions[name] !== undefined && !isSplitNow(versions, name);
    for (const column of found.filter((one) => !wanted.includes(one)))
      await sql.unsafe(`alter table ${identifier(name)} drop column ${identifier(column)}`);
    const missing = searched.filter((field) => !found.includes(wordsColumn(field)));
    for (const field of missing)
      await sql.unsafe(`alter table ${identifier(name)} add column ${identifier(wordsColumn(field))} tsvector`);
    await fill(sql, collection, isOld ? searched : missing, onStep);
    isAgain ||= isOld && searched.length > 0;
  }
  await store(sql, versionsAfter(versions, collections));
  return isAgain;
}

/** The words of a renamed collection stay. */
export async function renameVersion(sql: SQL, from: string, to: string): Promise<void> {
  const { [from]: version, ...others } = await versionsIn(sql);
  if (version !== undefined) await store(sql, JSON.stringify({ ...others, [to]: version }));
}

async function store(sql: SQL, versions: string): Promise<void> {
  await sql`insert into settings values (${wordsSetting}, ${versions})
            on conflict (name) do update set value = excluded.value`;
}

/** With the column of the text. */
export async function renameWords(sql: SQL, name: string, from: string, to: string): Promise<void> {
  if (!(await columnsIn(sql, name)).includes(wordsColumn(from))) return;
  await sql.unsafe(
    `alter table ${identifier(name)} rename column ${identifier(wordsColumn(from))} to ${identifier(wordsColumn(to))}`,
  );
}

async function columnsIn(sql: SQL, name: string): Promise<string[]> {
  const rows: string[][] = await sql`
    select column_name from information_schema.columns
    where table_schema = current_schema() and table_name = ${name} and right(column_name, 6) = ':words'`.values();
  return rows.map(([column = '']) => column);
}

async function fill(
  sql: SQL,
  collection: Collection,
  fields: readonly string[],
  onStep: Evolution['onStep'],
): Promise<void> {
  if (fields.length === 0) return;
  const table = identifier(collection.name);
  const set = fields.map((field) => `${identifier(wordsColumn(field))} = (_words->>${literal(field)})::tsvector`);
  const progress = indexing(collection, onStep);
  for (let last = '0'; ; ) {
    const rows: [string, ...(string | null)[]][] = await sql
      .unsafe(
        `select seq, ${fields.map(identifier).join(', ')} from ${table} where seq > $1::bigint order by seq limit ${recordsAtOnce}`,
        [last],
      )
      .values();
    if (rows.length === 0) return progress.end();
    const words = rows.map(([recordId, ...texts]) => [
      recordId,
      Object.fromEntries(texts.flatMap((text, at) => (text === null ? [] : [[fields[at], vectorOf(text)]]))),
    ]);
    await sql.unsafe(
      `update ${table} set ${set.join(', ')}
       from (select (value->>0)::bigint as _seq, value->1 as _words from json_array_elements($1::text::json)) as _each where seq = _seq`,
      [JSON.stringify(words)],
    );
    progress.add(rows.length);
    last = String(rows.at(-1)?.[0]);
  }
}
