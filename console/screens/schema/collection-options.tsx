/** Everything of a collection that is not a field: its names, its indexes and its rules. */
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { edit } from '../../schema/draft.ts';
import { removeCollection, renameCollection, setCollectionMember } from '../../schema/file/collection-edits.ts';
import type { FileCollection } from '../../schema/file/model.ts';
import type { Mistakes } from '../../schema/mistakes.ts';
import { OptionInput } from '../../schema/option-input.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { RuleList } from './rule-list.tsx';

export type CollectionOptionsProps = {
  readonly collection: FileCollection;
  readonly origin: string | undefined;
  readonly names: readonly string[];
  readonly mistakes: Mistakes;
};

const texts = [
  { name: 'singular', label: 'One record is a', hint: 'As in the event book.created' },
  { name: 'title', label: 'Title', hint: 'For people: the console shows it' },
  { name: 'description', label: 'Description', hint: 'What it is for' },
].map((one) => ({ ...one, input: 'line' as const }));

export function CollectionOptions({ collection, origin, names, mistakes }: CollectionOptionsProps) {
  const { name, members, fields } = collection;
  const [isRenamed, setRenamed] = useState(false);
  const path = ['collections', name];
  const id = `schema-options-${name}`;
  return (
    <div class="schema-field-open">
      <div class="field-editor">
        {texts.map((option) => (
          <OptionInput
            key={option.name}
            id={id}
            option={option}
            type="text"
            value={members.get(option.name)}
            collections={names}
            mistakes={mistakes.in([...path, option.name])}
            onChange={(value) => edit((text) => setCollectionMember(text, name, option.name, value))}
          />
        ))}
      </div>
      {(['indexes', 'unique', 'check'] as const).map((member) => (
        <RuleList
          key={member}
          member={member}
          collection={name}
          json={members.get(member)}
          first={fields[0]?.name ?? ''}
          mistakes={mistakes}
          onChange={(json) => edit((text) => setCollectionMember(text, name, member, json))}
        />
      ))}
      <div class="schema-actions">
        <Button onPress={() => setRenamed(true)}>Rename {name}</Button>
        <Button icon="trash" kind="danger" onPress={() => edit((text) => removeCollection(text, name))}>
          Remove {name} from the file
        </Button>
      </div>
      {isRenamed ? (
        <RenameDialog
          what="collection"
          name={name}
          origin={origin}
          taken={names}
          onRename={(next) => edit((text) => renameCollection(text, name, next, origin))}
          onClose={() => setRenamed(false)}
        />
      ) : null}
    </div>
  );
}
