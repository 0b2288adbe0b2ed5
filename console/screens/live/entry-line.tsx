/** One change of the feed. */
import type { Collection } from '../../api/declarations.ts';
import { clock } from '../../parts/amount.ts';
import { hrefOf } from '../../state/address.ts';
import type { Entry } from './recent.ts';

export type EntryLineProps = { readonly entry: Entry; readonly collections: readonly Collection[] };

export function EntryLine({ entry: { kind, singular, id, at, by, summary }, collections }: EntryLineProps) {
  const collection = collections.find((one) => one.singular === singular);
  const record = `${singular} ${id}`;
  return (
    <li>
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {clock(at, 'second')}
      </time>
      <span class={`kind ${kind}`}>{kind}</span>
      <span class="live-record">
        {collection === undefined || kind === 'deleted' ? record : <a href={hrefOf([collection.name, id])}>{record}</a>}
      </span>
      <span class="live-by soft">{by === null ? '' : `by ${by}`}</span>
      <span class="live-summary one-line" title={summary}>
        {summary}
      </span>
    </li>
  );
}
