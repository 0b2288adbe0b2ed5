/** Statements that stay prepared: those that were used last. The text of a query is a client's choice, so they are bounded. */
import type { Database, Statement } from 'bun:sqlite';

type Value = string | number | bigint | null;
type Kept = Statement<Record<string, Value>, Value[]>;

const most = 200;

export class PreparedStatements {
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, Kept>();

  constructor(readonly db: Database) {}

  of(sql: string): Kept {
    const statement = this.#kept.get(sql) ?? this.db.prepare<Record<string, Value>, Value[]>(sql).safeIntegers(true);
    this.#kept.delete(sql);
    this.#kept.set(sql, statement);
    if (this.#kept.size > most) this.#dropOldest();
    return statement;
  }

  /** SQLite keeps the file open while a statement is left. */
  close(): void {
    for (const statement of this.#kept.values()) statement.finalize();
    this.#kept.clear();
  }

  #dropOldest(): void {
    for (const [sql, statement] of this.#kept) {
      this.#kept.delete(sql);
      statement.finalize();
      return;
    }
  }
}
