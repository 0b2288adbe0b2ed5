/** Compares the words of records in PostgreSQL with their texts. */
import type { SQL } from 'bun';
import type { Collection } from '../../domain/record/collection.ts';
import { identifier } from '../../domain/sql-text.ts';
import { wordsOf } from '../../domain/words/split.ts';
import { versionsIn } from '../postgres/schema/word-columns.ts';
import { isSplitNow, recordsAtOnce, wordsColumn } from '../word-index.ts';
import { wrongWords } from './findings.ts';

/** One line for each field whose words are not those of its text. Yields after some records. */
export async function* wordProblemsIn(sql: SQL, { name, searched }: Collection): AsyncGenerator<readonly string[]> {
  // The next start splits the texts of another version.
  if (!isSplitNow(await versionsIn(sql), name)) return;
  const columns = searched.map((field) => {
    const [text, words] = [identifier(field), identifier(wordsColumn(field))];
    return `${text}, array_to_json(tsvector_to_array(${words}))::text`;
  });
  for (let last = '0'; ; ) {
    const rows: [string, ...(string | null)[]][] = await sql
      .unsafe(
        `select seq, ${columns.join(', ')} from ${identifier(name)} where seq > $1::bigint order by seq limit ${recordsAtOnce}`,
        [last],
      )
      .values();
    if (rows.length === 0) return;
    yield rows.flatMap(([recordId, ...values]) =>
      searched
        .filter((_, at) => !isSame(values[2 * at] ?? null, values[2 * at + 1] ?? null))
        .map((field) => wrongWords(name, Number(recordId), field)),
    );
    last = String(rows.at(-1)?.[0]);
  }
}

function isSame(text: string | null, words: string | null): boolean {
  if (text === null || words === null) return text === words;
  const [expected, found] = [wordsOf(text), new Set(JSON.parse(words) as string[])];
  return expected.size === found.size && expected.isSubsetOf(found);
}
