/** The indexes, the unique rules or the check rules of a collection, each in a line that can be changed. */
import { useState } from 'preact/hooks';
import { elementsOf, type JsonText, kindOf, membersOf, objectOf } from '../../../src/exact/json-text.ts';
import { unquoted } from '../../api/json.ts';
import { Button } from '../../parts/button.tsx';
import { edit } from '../../schema/draft.ts';
import { inlined } from '../../schema/file/inline-json.ts';
import { addElement, removeElement, setElement } from '../../schema/file/list-edits.ts';
import { MistakeList } from '../../schema/mistake-list.tsx';
import type { Mistakes } from '../../schema/mistakes.ts';
import { JsonInput } from './json-input.tsx';
import { namesIn } from './rule-words.ts';

type Member = 'indexes' | 'unique' | 'check';

export type RuleListProps = {
  readonly member: Member;
  readonly collection: string;
  readonly json: JsonText | undefined;
  /** A field, for a new rule. */
  readonly first: string;
  readonly mistakes: Mistakes;
};

const words: Readonly<Record<Member, { readonly title: string; readonly one: string; readonly hint: string }>> = {
  indexes: {
    title: 'Indexes',
    one: 'index',
    hint: 'Fields that clients often sort or filter by, separated by commas. Each index makes writes a little slower.',
  },
  unique: {
    title: 'Unique together',
    one: 'unique rule',
    hint: 'Fields whose values no two records have together; with a condition, only among the records that meet it.',
  },
  check: {
    title: 'Checks',
    one: 'check rule',
    hint: 'A condition that each record meets, in the filter language, and what is said of a field if it does not.',
  },
};

export function RuleList({ member, collection, json, first, mistakes }: RuleListProps) {
  const rules = elementsOf(json ?? '[]');
  /** An input of a rule that is gone has nothing to say of the next one. */
  const [removed, setRemoved] = useState(0);
  const { title, one, hint } = words[member];
  const path = ['collections', collection, member];
  const fresh: Readonly<Record<Member, JsonText>> = {
    indexes: JSON.stringify(first),
    unique: JSON.stringify([first]),
    check: JSON.stringify({ where: { [first]: { ne: '' } }, message: 'must not be empty' }),
  };
  return (
    <fieldset class="schema-rule-list">
      <legend>{title}</legend>
      <p class="soft">{hint}</p>
      <MistakeList mistakes={mistakes.at(...path)} />
      {rules.map((rule, place) => (
        // Rules have no names.
        <div key={`${removed} ${place}`} class="schema-rule">
          <RuleInput
            member={member}
            label={`${title} ${place + 1} of ${collection}`}
            rule={rule}
            onChange={(next) => edit((text) => setElement(text, path, place, inlined(next)))}
          />
          <Button
            icon="close"
            kind="quiet"
            label={`Remove the ${one} ${place + 1}`}
            onPress={() => {
              setRemoved(removed + 1);
              edit((text) => removeElement(text, path, place));
            }}
          />
          <MistakeList mistakes={mistakes.in([...path.slice(0, -1), `${member}[${place}]`])} />
        </div>
      ))}
      <Button icon="plus" kind="quiet" onPress={() => edit((text) => addElement(text, path, inlined(fresh[member])))}>
        Add {one === 'index' ? 'an' : 'a'} {one}
      </Button>
    </fieldset>
  );
}

type RuleInputProps = {
  readonly member: Member;
  readonly label: string;
  readonly rule: JsonText;
  readonly onChange: (rule: JsonText) => void;
};

function RuleInput({ member, label, rule, onChange }: RuleInputProps) {
  if (member === 'check') {
    const { where = '{}', message = '""' } = Object.fromEntries(membersOf(rule));
    const change = (next: Readonly<Record<string, JsonText>>) =>
      onChange(objectOf(Object.entries({ where, message, ...next })));
    return (
      <>
        <JsonInput label={`Condition: ${label}`} value={where} onChange={(next) => change({ where: next ?? '{}' })} />
        <input
          class="input"
          aria-label={`Message: ${label}`}
          value={unquoted(message)}
          onInput={({ currentTarget }) => change({ message: JSON.stringify(currentTarget.value) })}
        />
      </>
    );
  }
  const isList = kindOf(rule) !== 'object';
  const { fields = '[]', where } = isList ? { fields: rule } : Object.fromEntries(membersOf(rule));
  const change = (names: JsonText, condition: JsonText | undefined) =>
    onChange(condition === undefined ? names : `{"fields":${names},"where":${condition}}`);
  return (
    <>
      <NamesInput
        label={`Fields: ${label}`}
        member={member}
        names={fields}
        onChange={(names) => change(names, where)}
      />
      {member === 'unique' ? (
        <JsonInput
          label={`Condition: ${label}`}
          placeholder='for all records, or {"returned_on": {"is": "null"}}'
          value={where}
          onChange={(next) => change(listOf(namesIn(fields), member), next)}
        />
      ) : null}
    </>
  );
}

type NamesInputProps = {
  readonly label: string;
  readonly member: Member;
  readonly names: JsonText;
  readonly onChange: (names: JsonText) => void;
};

/** A comma at the end is no name yet. */
function NamesInput({ label, member, names, onChange }: NamesInputProps) {
  const [typed, setTyped] = useState('');
  return (
    <input
      class="input"
      aria-label={label}
      value={listOf(typed, member) === names ? typed : namesIn(names)}
      spellcheck={false}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(listOf(currentTarget.value, member));
      }}
    />
  );
}

/** An index of one field is its name. */
function listOf(typed: string, member: Member): JsonText {
  const names = typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return JSON.stringify(member === 'indexes' && names.length === 1 ? names[0] : names);
}
