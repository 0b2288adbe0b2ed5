/** The names of records that rows refer to, from the pages that were read. */
import type { Column } from '../../../api/columns.ts';
import { labelFieldOf } from '../../../api/columns.ts';
import type { Collection } from '../../../api/declarations.ts';
import { members, unquoted } from '../../../api/json.ts';
import type { Row } from '../../../api/pages.ts';

export class Labels {
  readonly #known = new Map<string, string>();
  readonly #fields: ReadonlyMap<string, { readonly to: string; readonly label: string }>;

  /** Collections that the caller may not read have no labels. */
  constructor(columns: readonly Column[], collections: readonly Collection[]) {
    this.#fields = new Map(
      columns.flatMap(({ name, field: { to } }) => {
        const target = collections.find((one) => one.name === to);
        const label = target === undefined ? undefined : labelFieldOf(target);
        return to === undefined || label === undefined ? [] : [[name, { to, label }]];
      }),
    );
  }

  /** The references to ask for with a page. */
  get expand(): readonly string[] {
    return [...this.#fields.keys()];
  }

  learn(rows: readonly Row[]): void {
    for (const { values } of rows) {
      const expanded = values.get('expanded');
      if (expanded === undefined) continue;
      for (const [name, record] of members(expanded)) {
        const field = this.#fields.get(name);
        const label = field === undefined || record === 'null' ? undefined : members(record).get(field.label);
        if (label !== undefined && label !== 'null')
          this.#known.set(keyOf(field?.to, values.get(name)), unquoted(label));
      }
    }
  }

  of(to: string | undefined, id: string | undefined): string | undefined {
    return this.#known.get(keyOf(to, id));
  }
}

const keyOf = (to: string | undefined, id: string | undefined) => `${to}/${id}`;
