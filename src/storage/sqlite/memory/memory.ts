/** The records of all collections in memory that all threads see, and their one writer. */
import { Allocator, newSegment } from './allocator.ts';
import { Root, reservedBlocks } from './root.ts';
import { TableWriter } from './table-writer.ts';
import { Version } from './version.ts';
import { type Segment, View } from './view.ts';

export class Memory {
  readonly tables: readonly TableWriter[];
  readonly version: Version;
  readonly view: View;
  /** What other threads open it with. */
  readonly segments: readonly Segment[];
  readonly #allocator: Allocator;
  /** Those with additions or changes that readers do not see yet. */
  readonly #touched = new Set<TableWriter>();

  /** For this many collections. */
  constructor(tables: number) {
    const first = newSegment();
    const segments = [first];
    this.segments = segments;
    this.view = new View(segments);
    this.version = new Version(first);
    this.#allocator = new Allocator(segments, this.view, this.version, reservedBlocks(tables));
    const { version } = this;
    const changing = {
      beginChange: () => version.beginChange(),
      get isPinned() {
        return version.isPinned;
      },
      touched: (table: TableWriter) => this.#touched.add(table),
    };
    this.tables = Array.from(
      { length: tables },
      (_, table) => new TableWriter(this.view, new Root(first, table), this.#allocator, changing),
    );
  }

  /** Readers see all changes since the last call at once. */
  publish(): void {
    if (this.#touched.size > 1) this.version.beginChange();
    for (const table of this.#touched) table.publish();
    this.#touched.clear();
    this.version.endChange();
    this.#allocator.reclaim();
  }
}
