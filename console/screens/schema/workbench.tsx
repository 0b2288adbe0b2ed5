/** The collections in the view that the address names, and beside them what the draft would do. */
import { useMemo, useState } from 'preact/hooks';
import { membersOf } from '../../../src/exact/json-text.ts';
import { Button } from '../../parts/button.tsx';
import { type Draft, edit, isChanged } from '../../schema/draft.ts';
import { addCollection } from '../../schema/file/collection-edits.ts';
import { collectionsIn, membersOfFile, ofContractIn } from '../../schema/file/model.ts';
import { MistakeList } from '../../schema/mistake-list.tsx';
import { Mistakes } from '../../schema/mistakes.ts';
import { usePlan } from '../../schema/use-plan.ts';
import { address, hrefOf } from '../../state/address.ts';
import { CollectionCard } from './collection-card.tsx';
import { ContractCollections } from './contract-collections.tsx';
import { FileView } from './file-view.tsx';
import { NewCollectionDialog } from './new-collection.tsx';
import { Picture } from './picture/picture.tsx';
import { Side } from './side.tsx';

const views = [
  ['', 'Tables'],
  ['references', 'References'],
  ['file', 'File'],
] as const;

export function Workbench({ draft }: { readonly draft: Draft }) {
  const { base, text } = draft;
  const [isNew, setNew] = useState(false);
  const planned = usePlan(text, base.text);
  const found = useMemo(() => collectionsIn(text), [text]);
  const collections = found ?? [];
  const mistakes = useMemo(() => new Mistakes(planned.plan?.mistakes ?? []), [planned.plan]);
  // What is not JSON can only be corrected as text.
  const asked = new URLSearchParams(address.value.search).get('view') ?? '';
  const view = found === undefined ? 'file' : asked;
  const ofContract = ofContractIn(text);
  const others = ofContract.served;
  const roles = [...membersOf(membersOfFile(text).get('roles') ?? '{}').keys()];
  const names = [...collections.map(({ name }) => name), ...others];

  return (
    <div class={view === '' || isChanged(draft) ? 'schema' : 'schema wide'}>
      <div class="schema-main">
        <div class="schema-bar">
          <nav class="schema-views" aria-label="Views">
            {views.map(([name, title]) => (
              <a
                key={name}
                href={hrefOf(['-', 'schema'], name === '' ? '' : `view=${name}`)}
                aria-current={view === name ? 'page' : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          <Button
            icon="plus"
            refused={found === undefined ? 'Correct the file first.' : undefined}
            onPress={() => setNew(true)}
          >
            New collection
          </Button>
        </div>
        {view === 'file' ? (
          <FileView draft={draft} mistakes={planned.plan?.mistakes ?? []} />
        ) : view === 'references' ? (
          <Picture collections={collections} others={others} />
        ) : (
          <>
            <MistakeList mistakes={mistakes.outside(collections.map(({ name }) => ['collections', name]))} />
            {collections.map((collection) => (
              <CollectionCard
                key={collection.name}
                collection={collection}
                all={collections}
                names={names}
                roles={roles}
                base={base}
                mistakes={mistakes}
              />
            ))}
            <ContractCollections {...ofContract} />
          </>
        )}
      </div>
      {view === '' || isChanged(draft) ? <Side draft={draft} planned={planned} /> : null}
      {isNew ? (
        <NewCollectionDialog
          taken={names}
          onAdd={(added) => edit((before) => addCollection(before, added))}
          onClose={() => setNew(false)}
        />
      ) : null}
    </div>
  );
}
