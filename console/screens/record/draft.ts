/** A record that is being edited, or a new one: what was there, what is entered, and what is wrong with it. */

import { signal } from '@preact/signals';
import type { JsonText } from '../../../src/exact/json-text.ts';
import { brokenRules } from '../../api/check-rules.ts';
import { problemIn } from '../../api/check-value.ts';
import { type Column, columnsOf } from '../../api/columns.ts';
import { type Collection, type FieldDeclaration, isClockDefault } from '../../api/declarations.ts';
import { type Row, rowOf } from '../../api/pages.ts';
import type { Problem } from '../../api/problem.ts';
import { type Entry, entryOf, readEntry } from './entry.ts';

export type Values = ReadonlyMap<string, JsonText>;

export class Draft {
  /** The fields that a person can set. */
  readonly columns: readonly Column[];
  /** The record as the server has it; undefined for a new one. */
  readonly base = signal<Row | undefined>(undefined);
  readonly entries = signal<ReadonlyMap<string, Entry>>(new Map());
  /** By field; under the empty name, what is wrong with the whole. */
  readonly problems = signal<ReadonlyMap<string, string>>(new Map());

  constructor(
    readonly collection: Collection,
    base: Values | undefined,
    /** What a new record starts with. */
    start: Values = new Map(),
  ) {
    this.columns = columnsOf(collection).filter(({ isOwn }) => !isOwn);
    if (base === undefined) this.#enter(start);
    else this.reset(base);
  }

  /** The record as it is now; nothing is entered. */
  reset(base: Values): void {
    this.base.value = rowOf(base);
    this.#enter(base);
    this.problems.value = new Map();
  }

  /** Takes a newer record as the one to compare with, and keeps what is entered. */
  rebase(base: Values, chosen: Values): void {
    this.base.value = rowOf(base);
    this.#enter(new Map([...base, ...chosen]));
  }

  set(name: string, entry: Entry): void {
    this.entries.value = new Map([...this.entries.value, [name, this.#entered(name, entry)]]);
    if (this.problems.value.has(name))
      this.problems.value = new Map([...this.problems.value].filter(([one]) => one !== name));
  }

  /** The fields that differ from the record; for a new one, from what the server would set. */
  get changes(): Values {
    const changes = new Map<string, JsonText>();
    for (const { name, field } of this.columns) {
      const entry = this.entries.value.get(name);
      const read = entry === undefined ? undefined : readEntry(entry, field);
      if (read !== undefined && 'json' in read && read.json !== this.#before(name)) changes.set(name, read.json);
    }
    return changes;
  }

  /** Whether anything would be lost. */
  get isDirty(): boolean {
    return this.columns.some(({ name, field }) => {
      const entry = this.entries.value.get(name);
      if (entry === undefined) return false;
      const read = readEntry(entry, field);
      return 'problem' in read || read.json !== this.#before(name);
    });
  }

  /** Whether everything entered can be sent; shows all that cannot, as far as the page can tell. `maySend` says which fields the caller sets. */
  check(maySend: (field: string) => boolean = () => true): boolean {
    const problems = new Map<string, string>();
    for (const { name, field } of this.columns) {
      const problem = maySend(name) ? this.#problemOf(name, field) : undefined;
      if (problem !== undefined) problems.set(name, problem);
    }
    const right = [...this.#values].filter(([name]) => !problems.has(name));
    this.problems.value = new Map([...brokenRules(this.collection, new Map(right)), ...problems]);
    return this.problems.value.size === 0;
  }

  #problemOf(name: string, field: FieldDeclaration): string | undefined {
    const entry = this.entries.value.get(name);
    if (entry === undefined) {
      // The server has a value for the others.
      const isNeeded = field.optional !== true && field.default === undefined;
      const isContractId = this.collection.contract && name === 'external_id';
      return isNeeded && !isContractId ? 'is required' : undefined;
    }
    const read = readEntry(entry, field);
    if ('problem' in read) return read.problem;
    return read.json === 'null' || read.json === this.#before(name) ? undefined : problemIn(read.json, field);
  }

  /** The record as the server would have it, without what only the server knows. */
  get #values(): Values {
    const { changes } = this;
    const all = this.columns.map(({ name }) => [name, changes.get(name) ?? this.#before(name)] as const);
    return new Map(all.flatMap(([name, json]) => (json === undefined ? [] : [[name, json] as const])));
  }

  /** Puts each problem of the server beside its field. */
  refuse(problems: readonly Problem[], detail: string): void {
    const known = problems.filter(({ field }) => this.columns.some(({ name }) => name === field));
    const byField = Map.groupBy(known, ({ field }) => field ?? '');
    const texts = [...byField].map(([name, some]) => [name, some.map((one) => one.detail).join('; ')] as const);
    const others = problems
      .filter((problem) => !known.includes(problem))
      .map((one) => `${one.field ?? ''} ${one.detail}`.trim());
    const whole = texts.length === 0 ? detail : others.join('; ');
    this.problems.value = new Map(whole === '' ? texts : [['', whole], ...texts]);
  }

  #entered(name: string, entry: Entry): Entry {
    const field = this.#fieldOf(name);
    if (entry !== '' || field === undefined || field.type === 'text') return entry;
    // In a new record, an emptied field other than a text is one that is not sent.
    if (this.base.value === undefined) return undefined;
    return field.optional === true && isClockDefault(field) ? null : entry;
  }

  #fieldOf(name: string): FieldDeclaration | undefined {
    return this.columns.find((one) => one.name === name)?.field;
  }

  #enter(values: Values): void {
    this.entries.value = new Map(
      this.columns.map(({ name, field }) => [name, entryOf(values.get(name) ?? this.#before(name), field)]),
    );
  }

  #before(name: string): JsonText | undefined {
    const base = this.base.value;
    return base === undefined ? this.#preset(name) : base.values.get(name);
  }

  /** What the server would set: the default, or no value. Only the server knows its clock. */
  #preset(name: string): JsonText | undefined {
    const field = this.#fieldOf(name);
    if (field !== undefined && isClockDefault(field)) return undefined;
    if (field?.default !== undefined) return JSON.stringify(field.default);
    return field?.optional === true ? 'null' : undefined;
  }
}
