/** A field that is gone and a new one may be the same: the question comes before anything is removed. */
import { Button } from '../../parts/button.tsx';
import { edit } from '../../schema/draft.ts';
import { setCollectionMember } from '../../schema/file/collection-edits.ts';
import { setOption } from '../../schema/file/field-edits.ts';
import { collectionsIn } from '../../schema/file/model.ts';
import type { Rename } from '../../schema/settings.ts';

export function Renames({ renames, text }: { readonly renames: readonly Rename[]; readonly text: string }) {
  const questions = renames
    .flatMap(({ collection, from, to }) => to.map((name) => ({ collection, from, name })))
    // One that was answered since the plan was made.
    .filter(({ collection, name }) => !hasWas(text, collection, name));
  if (questions.length === 0) return null;
  return (
    <ul class="schema-renames plain-list">
      {questions.map(({ collection, from, name }) => (
        <li key={`${collection} ${from} ${name}`}>
          <p>
            Is <b>{collection === null ? from : `${collection}.${from}`}</b> called <b>{name}</b> now? Then its{' '}
            {collection === null ? 'records' : 'values'} stay.
          </p>
          <Button onPress={() => edit((before) => withWas(before, collection, from, name))}>
            Yes, it is {name} now
          </Button>
        </li>
      ))}
    </ul>
  );
}

function withWas(text: string, collection: string | null, from: string, name: string): string {
  const was = JSON.stringify(from);
  if (collection === null) return setCollectionMember(text, name, 'was', was);
  return setOption(text, { collection, field: name }, 'was', was);
}

function hasWas(text: string, collection: string | null, name: string): boolean {
  const found = collectionsIn(text)?.find((one) => one.name === (collection ?? name));
  const options = collection === null ? found?.members : found?.fields.find((one) => one.name === name)?.options;
  return options?.has('was') === true;
}
