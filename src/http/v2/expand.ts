/** `expand=author,author.publisher`: adds the referenced records to the answer. */

import Type from 'typebox';
import { everything, seenIn, type View } from '../../domain/access/view.ts';
import { type Caller, may } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { invalidParameter } from '../../domain/input/parameters.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import type { Reads } from '../../domain/store/reads.ts';
import type { TargetOf } from '../../domain/where/field-path.ts';
import type { Parameter } from '../route/operation.ts';
import { type Acting, targetsFor } from '../route/sight.ts';

const maxLevels = 2;
const name = 'expand';

/** The fields to expand, each with the fields to expand in its records. */
type Expansion = ReadonlyMap<string, { readonly to: View | 'hidden'; readonly inner: Expansion }>;

/** Returns the members to add to the JSON of a record; undefined if its references were not read, because earlier ones were too large. Never undefined for the first record. */
export type Expanded = (stored: Stored) => string | undefined;

/** The caller, and its rules if it has a role. */
type Asking = Acting & { readonly caller: Caller };

/** Expands the references of one collection. */
export class Expander {
  constructor(
    readonly collection: Collection,
    readonly collections: readonly Collection[],
    readonly reads: Reads,
  ) {}

  /** For OpenAPI; undefined if the collection has no references. */
  get parameter(): Parameter | undefined {
    const paths = this.#paths(this.collection, maxLevels);
    if (paths.length === 0) return undefined;
    return {
      name,
      description: `The records that these fields refer to, as \`expanded\`, at most ${maxLevels} levels deep: ${paths.join(', ')}.`,
      schema: Type.Array(Type.String(), { minItems: 1 }),
      style: 'form',
      explode: false,
    };
  }

  /** The collections that a path in a filter leads to, which throws `forbidden`. */
  targetsOf(acting: Asking): TargetOf {
    return targetsFor(acting, () => targetsOf(this.collections, acting.caller));
  }

  /**
   * Reads the referenced records of `records`. Throws `invalid_query` or `forbidden`. `asked` is the parameter; undefined to
   * expand nothing.
   */
  async expand(asked: string | undefined, records: readonly Stored[], acting: Asking): Promise<Expanded> {
    if (asked === undefined) return () => '';
    return this.#expanded(this.#parse(asked, acting), records);
  }

  #parse(asked: string, acting: Asking): Expansion {
    const known = this.#paths(this.collection, maxLevels, acting);
    const paths = new Set<string>();
    for (const path of asked.split(',')) {
      if (!known.includes(path)) {
        const expected = known.length === 0 ? `nothing: ${this.collection.name} refers to nothing` : known.join(', ');
        throw invalidParameter(name, expected, path);
      }
      // `author.publisher` includes `author`.
      const fields = path.split('.');
      for (let length = 1; length <= fields.length; length++) paths.add(fields.slice(0, length).join('.'));
    }
    return this.#tree(
      this.collection,
      [...paths].map((path) => path.split('.')),
      acting,
    );
  }

  #tree(collection: Collection, paths: readonly (readonly string[])[], acting: Asking): Expansion {
    const byField = Map.groupBy(paths, ([first = '']) => first);
    return new Map(
      [...byField].map(([field, some]) => {
        const to = this.#target(collection, field);
        const { access, caller } = acting;
        if (to === undefined || (access === undefined && !may(caller, 'read', to.name)))
          throw unreadable(to?.name, `${field} out of ${name}`);
        const deeper = some.map(([, ...rest]) => rest).filter((rest) => rest.length > 0);
        const view = access === undefined ? everything(to) : (access.viewOf(to) ?? 'hidden');
        return [field, { to: view, inner: this.#tree(to, deeper, acting) }] as const;
      }),
    );
  }

  #target({ references }: Collection, field: string): Collection | undefined {
    const to = references.find((one) => one.field === field)?.to;
    return this.collections.find((one) => one.name === to);
  }

  /** For a caller with a role only by fields that it may read. */
  #paths(collection: Collection, levels: number, acting?: Acting): string[] {
    if (levels === 0) return [];
    const access = acting?.access;
    const view = access?.viewOf(collection);
    if (access !== undefined && view === undefined) return [];
    const visible = view === undefined ? collection : seenIn(view);
    return collection.references.flatMap(({ field }) => {
      const to = this.#target(collection, field);
      if (to === undefined || !visible.columns.has(field)) return [];
      return [field, ...this.#paths(to, levels - 1, acting).map((path) => `${field}.${path}`)];
    });
  }

  /** Runs one query per expanded field. */
  async #expanded(expansion: Expansion, records: readonly Stored[]): Promise<Expanded> {
    const fields = await Promise.all(
      [...expansion].map(async ([field, { to, inner }]) => {
        const recordIds = [...new Set(records.flatMap(({ row }) => (row[field] === null ? [] : [Number(row[field])])))];
        const texts = await this.#texts(to, inner, recordIds);
        return ({ row }: Stored) => {
          const text = row[field] === null ? 'null' : texts(Number(row[field]));
          return text === undefined ? undefined : `"${field}":${text}`;
        };
      }),
    );
    return (stored) => {
      const texts = fields.map((text) => text(stored));
      return texts.includes(undefined) ? undefined : `,"expanded":{${texts.join(',')}}`;
    };
  }

  /** The JSON of the records with these record ids: null for a missing record, undefined for one that was not read. */
  async #texts(
    to: View | 'hidden',
    inner: Expansion,
    recordIds: readonly number[],
  ): Promise<(recordId: number) => string | undefined> {
    if (recordIds.length === 0 || to === 'hidden') return () => 'null';
    const { records, more: isCut } = await this.reads.some(to, recordIds);
    const expanded: Expanded = inner.size === 0 ? () => '' : await this.#expanded(inner, records);
    const texts = new Map<number, string | undefined>(recordIds.map((recordId) => [recordId, 'null']));
    if (isCut)
      for (const recordId of recordIds.slice(recordIds.indexOf(records.at(-1)?.recordId ?? 0) + 1))
        texts.set(recordId, undefined);
    for (const one of records) {
      const more = expanded(one);
      texts.set(one.recordId, more === undefined ? undefined : withMore(seenIn(to).record.encode(one), more));
    }
    return (recordId) => texts.get(recordId);
  }
}

/** The collections that a path in a filter leads to. Throws `forbidden`. */
export function targetsOf(collections: readonly Collection[], caller: Caller): TargetOf {
  return (to) => {
    const target = collections.find((one) => one.name === to);
    if (target === undefined || !may(caller, 'read', to)) throw unreadable(to, 'paths to it out of the filter');
    return target;
  };
}

/** Adds members to a JSON object. */
export function withMore(json: string, more: string): string {
  return more === '' ? json : `${json.slice(0, -1)}${more}}`;
}

function unreadable(collection: string | undefined, what: string): Failure {
  return new Failure('forbidden', { detail: `This key may not read ${collection}: leave ${what}.` });
}
