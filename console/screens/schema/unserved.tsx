/** Collections that the server would not serve any more. This is no step: nothing happens to their records. */
import type { Draft } from '../../schema/draft.ts';
import { collectionsIn, ofContractIn } from '../../schema/file/model.ts';

export function Unserved({ draft: { base, text } }: { readonly draft: Draft }) {
  const declared = collectionsIn(text);
  if (declared === undefined) return null;
  const kept = new Set([
    ...ofContractIn(text).served,
    ...declared.flatMap(({ name, members }) => [name, JSON.parse(members.get('was') ?? 'null') as unknown]),
  ]);
  const gone = Object.keys(base.collections).filter((name) => !kept.has(name));
  if (gone.length === 0) return null;
  return (
    <ul class="plain-list schema-unserved" aria-label="Not served any more">
      {gone.map((name) => (
        <li key={name}>
          <b>{name}</b> is not served any more. Its records stay in the database.
        </li>
      ))}
    </ul>
  );
}
