/** Compares the index of words in SQLite with the texts of the records. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/record/collection.ts';
import { identifier } from '../../domain/sql-text.ts';
import { wordsOf } from '../../domain/words/split.ts';
import { settingIn } from '../sqlite/file/epoch.ts';
import { hasTable } from '../sqlite/schema/evolution.ts';
import { matchOf, wordsTable, wordsTableName } from '../sqlite/statements/words-sql.ts';
import { isSplitNow, recordsAtOnce, wordsSetting, wordsVersions } from '../word-index.ts';
import { wrongWords } from './findings.ts';

/** Words of one query. */
const wordsAtOnce = 100;

/** One line for each record whose words are not those of its texts. Yields after some records. */
export function* wordProblemsIn(db: Database, collection: Collection): Generator<readonly string[]> {
  const { name, searched } = collection;
  // A missing table is a finding of its own, and the next start splits the texts of another version.
  if (!hasTable(db, wordsTableName(name)) || !isSplitNow(wordsVersions(settingIn(db, wordsSetting)), name)) return;
  const [table, words] = [identifier(name), wordsTable(name)];
  const sizes = identifier(`${wordsTableName(name)}_docsize`);
  using read = db.prepare<Record<string, string | number | Uint8Array | null>, [number]>(
    `select seq, sz as "", ${searched.map(identifier).join(', ')} from ${table} left join ${sizes} on id = seq
     where seq > ? order by seq limit ${recordsAtOnce}`,
  );
  using find = db.prepare(`select 1 from ${words} where ${words} match ? and rowid = ?`);
  using left = db.prepare<{ id: number }, []>(
    `select id from ${sizes} where id not in (select seq from ${table}) order by id limit 1`,
  );
  for (let rows = read.all(0); rows.length > 0; rows = read.all(Number(rows.at(-1)?.seq))) {
    yield rows.flatMap(({ seq, '': sizes, ...texts }) => {
      const counts = numbersIn(sizes instanceof Uint8Array ? sizes : new Uint8Array());
      const wrong = searched.filter((field, at) => {
        const own = [...wordsOf(String(texts[field] ?? ''))];
        const parts = Array.from({ length: Math.ceil(own.length / wordsAtOnce) }, (_, part) =>
          own.slice(part * wordsAtOnce, (part + 1) * wordsAtOnce).map((word) => ({ word, isStart: false })),
        );
        // As many words, and all of them: the same ones.
        return (
          counts[at] !== own.length || !parts.every((part) => find.get(matchOf([field], part), Number(seq)) !== null)
        );
      });
      return wrong.map((field) => wrongWords(name, Number(seq), field));
    });
  }
  const rest = left.get();
  if (rest !== null) yield [`${name} ${rest.id}: is in the index of words, and is missing`];
}

/** Numbers of FTS5, with seven bits in a byte; all but the last byte of a number have the highest bit. */
function numbersIn(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}
