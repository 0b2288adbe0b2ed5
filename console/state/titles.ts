/** The titles of records that others refer to: learned with lists, or asked for together when they are first shown. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { labelFieldOf } from '../api/columns.ts';
import type { Collection } from '../api/declarations.ts';
import { unquoted } from '../api/json.ts';
import { type Row, readPage } from '../api/pages.ts';
import { searchOf } from '../api/query.ts';
import { collectionsSeen, onLeave } from './session.ts';

/** A filter takes so many values. */
const idsAtOnce = 100;
/** What is drawn together is asked for together. */
const gatherMs = 10;

const known = new Map<string, Signal<string | undefined>>();
/** Ids by their collection. */
const wanted = new Map<string, Set<string>>();

const none: ReadonlySignal<undefined> = signal(undefined);

/** Undefined until it is known; empty if there is no such record, or none that the caller may read. */
export function titleOf(to: string | undefined, id: string | undefined): ReadonlySignal<string | undefined> {
  if (to === undefined || id === undefined || !/^\d+$/.test(id) || targetOf(to) === undefined) return none;
  const found = known.get(`${to}/${id}`);
  if (found !== undefined) return found;
  if (wanted.size === 0) setTimeout(ask, gatherMs);
  wanted.set(to, (wanted.get(to) ?? new Set()).add(id));
  return entry(to, id);
}

export function learnTitle(to: string, id: string, title: string): void {
  entry(to, id).value = title;
}

/** The title of a record that was read or saved. */
export function learnRow(collection: Collection, row: Row): void {
  learnTitle(collection.name, row.id, titleIn(collection, row));
}

/** The text that names a record; its id if that is empty. */
function titleIn(collection: Collection, { id, values }: Pick<Row, 'id' | 'values'>): string {
  const value = values.get(labelFieldOf(collection) ?? '') ?? 'null';
  return value === 'null' || value === '""' ? id : unquoted(value);
}

/** The collection of a reference, if it can be read and its records have titles. */
function targetOf(to: string): Collection | undefined {
  const target = collectionsSeen().find(({ name }) => name === to);
  return target !== undefined && labelFieldOf(target) !== undefined ? target : undefined;
}

function entry(to: string, id: string): Signal<string | undefined> {
  const key = `${to}/${id}`;
  const found = known.get(key) ?? signal<string | undefined>(undefined);
  known.set(key, found);
  return found;
}

function ask(): void {
  const asked = [...wanted];
  wanted.clear();
  for (const [to, ids] of asked) {
    const target = targetOf(to);
    if (target === undefined) continue;
    for (let at = 0; at < ids.size; at += idsAtOnce)
      read(target, [...ids].slice(at, at + idsAtOnce)).catch(() => {
        // The id says which record it is, too.
      });
  }
}

async function read(target: Collection, ids: readonly string[]): Promise<void> {
  const filters = [{ field: 'id', operator: 'in', value: ids.join(',') }];
  const search = searchOf({ filters, sort: [], fields: ['id', labelFieldOf(target) ?? 'id'] });
  const { rows } = await readPage(`/api/v2/${target.name}?${search}&limit=${idsAtOnce}`, new AbortController().signal);
  const found = new Map(rows.map((row) => [row.id, titleIn(target, row)]));
  for (const id of ids) learnTitle(target.name, id, found.get(id) ?? '');
}

onLeave(async () => known.clear());
