/** One collection: its fields as a table, each to be opened, and its indexes and rules. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { edit } from '../../schema/draft.ts';
import { addField } from '../../schema/file/field-edits.ts';
import type { FileCollection } from '../../schema/file/model.ts';
import { MistakeList } from '../../schema/mistake-list.tsx';
import type { Mistakes } from '../../schema/mistakes.ts';
import type { Settings } from '../../schema/settings.ts';
import { address, hrefOf } from '../../state/address.ts';
import { CollectionOptions, shownMembers } from './collection-options.tsx';
import { FieldRow } from './field-row.tsx';
import { NewField } from './new-field.tsx';
import { originOfCollection } from './origins.ts';
import { ruleWords } from './rule-words.ts';

export type CollectionCardProps = {
  readonly collection: FileCollection;
  readonly all: readonly FileCollection[];
  /** All collections that a reference can name. */
  readonly names: readonly string[];
  /** Of the file. */
  readonly roles: readonly string[];
  readonly base: Settings;
  readonly mistakes: Mistakes;
};

export function CollectionCard({ collection, all, names, roles, base, mistakes }: CollectionCardProps) {
  const { name, fields, members } = collection;
  const [open, setOpen] = useState('');
  const [isEdited, setEdited] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const origin = originOfCollection(collection, base);
  const served = Object.keys(base.collections[origin ?? '']?.fields ?? {});
  const path = ['collections', name];
  const id = `schema-${name}`;
  const card = useRef<HTMLElement>(null);
  const isAsked = new URLSearchParams(address.value.search).get('collection') === name;
  useEffect(() => {
    if (isAsked) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isAsked]);
  const referring = all.flatMap((one) =>
    one.fields
      .filter(({ options }) => options.get('to') === JSON.stringify(name))
      .map((field) => `${one.name}.${field.name}`),
  );
  return (
    <section class={isAsked ? 'schema-card card asked' : 'schema-card card'} aria-labelledby={id} ref={card}>
      <div class="schema-card-head">
        <h2 id={id}>{origin === name ? <a href={hrefOf([name])}>{name}</a> : name}</h2>
        {origin === undefined ? <span class="schema-mark">new</span> : null}
        {origin !== undefined && origin !== name ? <span class="schema-mark">was {origin}</span> : null}
        <Button kind="quiet" expanded={isEdited} label={`Options of ${name}`} onPress={() => setEdited(!isEdited)}>
          Options
        </Button>
        <Button kind="quiet" icon="plus" label={`Add field to ${name}`} onPress={() => setAdding(true)}>
          Add field
        </Button>
      </div>
      {/* Fields show their own mistakes; options do when they are open. */}
      <MistakeList
        mistakes={[...mistakes.in(path, isEdited ? shownMembers : ['fields']), ...mistakes.at(...path, 'fields')]}
      />
      {isEdited ? (
        <CollectionOptions collection={collection} origin={origin} names={names} roles={roles} mistakes={mistakes} />
      ) : null}
      <ul class="schema-fields plain-list" aria-label={`Fields of ${name}`}>
        {fields.map((field, place) => (
          <FieldRow
            key={field.name}
            collection={name}
            field={field}
            place={place}
            last={fields.length - 1}
            taken={fields.map((one) => one.name)}
            served={served}
            isNewCollection={origin === undefined}
            names={names}
            mistakes={mistakes}
            isOpen={open === field.name}
            onOpen={setOpen}
          />
        ))}
      </ul>
      {isAdding ? (
        <NewField
          collection={name}
          taken={fields.map((one) => one.name)}
          onAdd={(field, type, options) => {
            edit((text) => addField(text, { collection: name, field }, { type, options }));
            setAdding(false);
            setOpen(field);
          }}
          // Records that exist have no value for it.
          isOptional={origin !== undefined}
          names={names}
          onClose={() => setAdding(false)}
        />
      ) : null}
      <dl class="schema-rules">
        {ruleWords(members).map(([term, words]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{words.join('; ')}</dd>
          </div>
        ))}
        {referring.length === 0 ? null : (
          <div>
            <dt>Referred to by</dt>
            <dd>{referring.join(', ')}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}
