/** One change of the feed: what a new record has, and what an update has changed, from what to what. */
import { columnsOf } from '../../api/columns.ts';
import type { Collection } from '../../api/declarations.ts';
import { Moment } from '../../parts/values/moment.tsx';
import { Value } from '../../parts/values/value.tsx';
import { hrefOf } from '../../state/address.ts';
import type { Entry, FieldOfEntry } from './recent.ts';

export type EntryLineProps = { readonly entry: Entry; readonly collections: readonly Collection[] };

export function EntryLine({ entry, collections }: EntryLineProps) {
  const { kind, singular, id, at, by, fields, more } = entry;
  const collection = collections.find((one) => one.singular === singular);
  const record = `${singular} ${id}`;
  return (
    <li>
      <Moment at={at} />
      <span class={`kind ${kind}`}>{kind}</span>
      <span class="live-record">
        {collection === undefined || kind === 'deleted' ? record : <a href={hrefOf([collection.name, id])}>{record}</a>}
      </span>
      <span class="live-by soft">{by === null ? '' : `by ${by}`}</span>
      <span class="live-fields">
        {fields.map((field) => (
          <span key={field.name} class="live-field">
            <span class="soft">{field.name}</span> <Values field={field} collection={collection} />
          </span>
        ))}
        {more === 0 ? null : (
          <span class="soft">
            and {more} more {more === 1 ? 'field' : 'fields'}
          </span>
        )}
      </span>
    </li>
  );
}

type ValuesProps = { readonly field: FieldOfEntry; readonly collection: Collection | undefined };

function Values({ field: { name, before, value }, collection }: ValuesProps) {
  const columns = collection === undefined ? [] : columnsOf(collection);
  const field = columns.find((one) => one.name === name)?.field ?? { type: 'text' };
  const isCompared = before !== undefined;
  const shown = (one: string) => (
    // What was too long is a text here.
    <Value
      value={one}
      field={one.startsWith('"') && field.type === 'list' ? { type: 'text' } : field}
      isCompared={isCompared}
    />
  );
  if (!isCompared) return shown(value);
  return (
    <>
      <del>{shown(before)}</del> {'\u2192'} <ins>{shown(value)}</ins>
    </>
  );
}
