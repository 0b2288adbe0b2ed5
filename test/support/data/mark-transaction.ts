/** Makes changes of a database those of one transaction, as if one commit had made them. */
import { Database } from 'bun:sqlite';
import { SQL } from 'bun';

export async function markTransaction(database: string, first: number, size: number): Promise<void> {
  const update = `update changes set transaction_first = ${first}, transaction_size = ${size}
    where seq between ${first} and ${first + size - 1}`;
  if (database.startsWith('sqlite:')) {
    using db = new Database(database.slice('sqlite:'.length));
    db.run(update);
    return;
  }
  const sql = new SQL({ url: database, max: 1 });
  await sql.unsafe(update);
  await sql.close();
}
