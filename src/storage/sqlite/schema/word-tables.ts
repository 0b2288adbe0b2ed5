/** Makes the tables with the words of records: for declared fields, and anew for another version of the splitter. */
import type { Database } from 'bun:sqlite';
import type { Evolution } from '../../../declarations/refusal.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { indexing, isSplitNow, recordsAtOnce, versionsAfter, wordsSetting, wordsVersions } from '../../word-index.ts';
import { settingIn } from '../file/epoch.ts';
import { openWords } from '../statements/word-writer.ts';
import { createWords, wordsTable, wordsTableName } from '../statements/words-sql.ts';
import { normalized } from './table-definition.ts';

type OnStep = Evolution['onStep'];

/** After all other steps. Says how far it is. */
export function keepWords(db: Database, collections: readonly Collection[], onStep: OnStep): void {
  const setting = settingIn(db, wordsSetting);
  const versions = wordsVersions(setting);
  for (const collection of collections) {
    const found = definitionIn(db, collection.name);
    const [wanted] = createWords(collection);
    const isSame = normalized(found ?? '').toLowerCase() === normalized(wanted ?? '');
    if (isSame && (wanted === undefined || isSplitNow(versions, collection.name))) continue;
    if (found !== undefined) db.run(`drop table ${wordsTable(collection.name)}`);
    if (wanted === undefined) continue;
    db.run(wanted);
    fill(db, collection, onStep);
  }
  const next = versionsAfter(versions, collections);
  if (next !== (setting ?? '{}')) store(db, next);
}

/** With the collection itself. */
export function renameWords(db: Database, from: string, to: string): void {
  if (definitionIn(db, from) === undefined) return;
  db.run(`alter table ${wordsTable(from)} rename to ${wordsTable(to)}`);
  const { [from]: version, ...others } = wordsVersions(settingIn(db, wordsSetting));
  store(db, JSON.stringify({ ...others, [to]: version }));
}

function store(db: Database, versions: string): void {
  db.run('insert or replace into settings values (?, ?)', [wordsSetting, versions]);
}

function definitionIn(db: Database, collection: string): string | undefined {
  using found = db.prepare<{ sql: string }, [string]>('select sql from sqlite_schema where name = ?');
  return found.get(wordsTableName(collection))?.sql;
}

function fill(db: Database, collection: Collection, onStep: OnStep): void {
  const { name, searched } = collection;
  const words = openWords(db, collection);
  const columns = searched.map(identifier).join(', ');
  using read = db.prepare<Record<string, string | number | null>, [number]>(
    `select seq, ${columns} from ${identifier(name)} where seq > ? order by seq limit ${recordsAtOnce}`,
  );
  const progress = indexing(collection, onStep);
  for (let rows = read.all(0); rows.length > 0; rows = read.all(Number(rows.at(-1)?.seq))) {
    for (const row of rows) words?.add(Number(row.seq), (field) => row[field]);
    progress.add(rows.length);
  }
  progress.end();
  words?.close();
}
