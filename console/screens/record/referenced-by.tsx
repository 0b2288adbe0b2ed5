/** The records that refer to this one, by collection and field: each leads to its table. */
import { grouped } from '../../api/count.ts';
import type { Collection } from '../../api/declarations.ts';
import { searchOf } from '../../api/query.ts';
import { type Referrer, referrersOf, referringCount } from '../../api/referrers.ts';
import { hrefOf } from '../../state/address.ts';
import { useLoaded } from '../../state/loaded.ts';
import { collectionsSeen } from '../../state/session.ts';

export type ReferencedByProps = {
  readonly collection: Collection;
  readonly id: string;
  /** Counted again with another version. */
  readonly version: string;
};

export function ReferencedBy({ collection, id, version }: ReferencedByProps) {
  const referrers = referrersOf(collection, collectionsSeen());
  if (referrers.length === 0) return null;
  return (
    <section class="referenced-by" aria-labelledby="referenced-by-title">
      <h3 id="referenced-by-title">Referenced by</h3>
      <ul class="plain-list">
        {referrers.map((referrer) => (
          <Line key={`${referrer.collection.name} ${referrer.field}`} referrer={referrer} id={id} version={version} />
        ))}
      </ul>
    </section>
  );
}

type LineProps = { readonly referrer: Referrer; readonly id: string; readonly version: string };

function Line({ referrer, id, version }: LineProps) {
  const { collection, field } = referrer;
  const count = useLoaded((signal) => referringCount(referrer, id, signal), [collection, field, id, version]).value;
  const filters = [{ field, operator: 'eq', value: id }];
  return (
    <li>
      <a href={hrefOf([collection.name], searchOf({ filters, sort: [] }))}>
        {collection.title ?? collection.name} <span class="soft">by {field}</span>
      </a>
      <span class="soft">
        {count.kind === 'here' ? grouped(count.value) : count.kind === 'failed' ? count.why : '\u2026'}
      </span>
    </li>
  );
}
