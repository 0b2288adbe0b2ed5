/** The collections, each with the number of its records. */
import { countOf, grouped } from '../../api/count.ts';
import type { Collection } from '../../api/declarations.ts';
import { hrefOf } from '../../state/address.ts';
import { useLoaded } from '../../state/loaded.ts';

const everyMs = 10_000;

export function CollectionList({ collections }: { readonly collections: readonly Collection[] }) {
  return (
    <section aria-labelledby="collections-title">
      <h2 id="collections-title">Collections</h2>
      <ul class="collections plain-list">
        {collections.map((collection) => (
          <CollectionCard key={collection.name} collection={collection} />
        ))}
      </ul>
    </section>
  );
}

function CollectionCard({ collection: { name, title, description, fields } }: { readonly collection: Collection }) {
  const count = useLoaded((signal) => countOf(name, '', signal), [name], everyMs).value;
  return (
    <li class="card">
      <a href={hrefOf([name])}>{title ?? name}</a>
      <span class="count">{count.kind === 'here' ? grouped(count.value) : '\u2013'}</span>
      <span class="soft one-line">
        {count.kind === 'failed' ? count.why : (description ?? Object.keys(fields).join(', '))}
      </span>
    </li>
  );
}
