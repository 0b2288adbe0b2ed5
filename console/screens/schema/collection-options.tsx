/** Everything of a collection that is not a field: its names, its indexes and its rules. */
import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { edit } from '../../schema/draft.ts';
import type { Option } from '../../schema/field-types.ts';
import { removeCollection, renameCollection, setCollectionMember } from '../../schema/file/collection-edits.ts';
import type { FileCollection } from '../../schema/file/model.ts';
import type { Mistakes } from '../../schema/mistakes.ts';
import { OptionInput } from '../../schema/option-input.tsx';
import { AccessRules } from './access-rules.tsx';
import { RenameDialog } from './dialogs/rename-dialog.tsx';
import { RuleList } from './rule-list.tsx';

export type CollectionOptionsProps = {
  readonly collection: FileCollection;
  readonly origin: string | undefined;
  readonly names: readonly string[];
  /** Of the file. */
  readonly roles: readonly string[];
  readonly mistakes: Mistakes;
};

const collectionOptions: readonly Option[] = [
  { name: 'singular', label: 'One record is a', hint: 'As in the event book.created', input: 'line' },
  { name: 'title', label: 'Title', hint: 'For people: the console shows it', input: 'line' },
  { name: 'description', label: 'Description', hint: 'What it is for', input: 'line' },
  { name: 'shown_as', label: 'Shown as', hint: 'The text field that names a record for people', input: 'field' },
  {
    name: 'search',
    label: 'Words searched',
    hint: 'Text fields, one in each line; the same as “Words can be searched” of each',
    input: 'names',
  },
  { name: 'first', label: 'First record', hint: 'Of a new collection; an existing one gets none', input: 'value' },
  {
    name: 'contract',
    label: 'Has the routes of the contract',
    hint: 'Records get an external_id, the id of that API',
    input: 'flag',
  },
];

/** Those with an input of their own, and those that the card shows. */
export const shownMembers = [
  ...collectionOptions.map(({ name }) => name),
  ...['fields', 'indexes', 'unique', 'check', 'access'],
];

export function CollectionOptions({ collection, origin, names, roles, mistakes }: CollectionOptionsProps) {
  const { name, members, fields } = collection;
  const [isRenamed, setRenamed] = useState(false);
  const path = ['collections', name];
  const id = `schema-options-${name}`;
  return (
    <div class="schema-field-open">
      <div class="field-editor">
        {collectionOptions.map((option) => (
          <OptionInput
            key={option.name}
            id={id}
            option={option}
            type={option.name === 'first' ? 'json' : 'text'}
            value={members.get(option.name)}
            names={fields.filter(({ type }) => type === 'text').map((field) => field.name)}
            mistakes={mistakes.in([...path, option.name])}
            // No field is no list of fields.
            onChange={(value) =>
              edit((text) => setCollectionMember(text, name, option.name, value === '[]' ? undefined : value))
            }
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
        />
      ))}
      <AccessRules collection={name} roles={roles} json={members.get('access')} mistakes={mistakes} />
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
