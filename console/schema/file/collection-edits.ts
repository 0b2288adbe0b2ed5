/** What a person does to a collection of a configuration file. */
import type { JsonText } from '../../../src/exact/json-text.ts';
import { removeMember, renameMember, setMember } from './edits.ts';
import { declarationOf } from './field-edits.ts';
import { inlined } from './inline-json.ts';
import { collectionsIn, type FileField } from './model.ts';

const emptyFile = '{\n  "collections": {}\n}\n';

export type NewCollection = {
  readonly name: string;
  readonly singular: string;
  readonly fields: readonly (FileField & { readonly comment?: string })[];
};

export function addCollection(text: string, { name, singular, fields }: NewCollection): string {
  const lines = fields.flatMap(({ name: field, comment, ...declared }, place) => [
    ...(comment === undefined ? [] : [`    // ${comment}`]),
    `    ${JSON.stringify(field)}: ${declarationOf(declared)}${place === fields.length - 1 ? '' : ','}`,
  ]);
  const json = ['{', `  "singular": ${JSON.stringify(singular)},`, '  "fields": {', ...lines, '  }', '}'].join('\n');
  return setMember(text.trim() === '' ? emptyFile : text, ['collections', name], json);
}

export function removeCollection(text: string, name: string): string {
  return removeMember(text, ['collections', name]);
}

/** Undefined removes the member. Names stand in front of the fields. */
export function setCollectionMember(text: string, collection: string, member: string, json: JsonText | undefined) {
  const path = ['collections', collection, member];
  if (json === undefined) return removeMember(text, path);
  return setMember(text, path, inlined(json), ['singular', 'title', 'description'].includes(member) ? 'first' : 'last');
}

/** `origin`: the name that the server knows; its records follow, and so do the references to it. */
export function renameCollection(text: string, old: string, name: string, origin: string | undefined): string {
  let next = renameMember(text, ['collections', old], name);
  const was = origin === undefined || origin === name ? undefined : JSON.stringify(origin);
  next = setCollectionMember(next, name, 'was', was);
  for (const { name: collection, fields } of collectionsIn(next) ?? []) {
    for (const { name: field, options } of fields) {
      if (options.get('to') === JSON.stringify(old))
        next = setMember(next, ['collections', collection, 'fields', field, 'to'], JSON.stringify(name));
    }
  }
  return next;
}
