/** What one text of the file has otherwise than another, by field. */
import type { JsonText } from '../../src/exact/json-text.ts';
import { removeMember, setMember } from './file/edits.ts';
import { declarationOf } from './file/field-edits.ts';
import { inlined } from './file/inline-json.ts';
import { collectionsIn, membersOfFile } from './file/model.ts';
import type { Path } from './file/slots.ts';

/** `json` is undefined for a part that is gone. */
export type Part = { readonly path: Path; readonly json: JsonText | undefined };

export function changedParts(before: string, after: string): readonly Part[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  const changed = [...now.values()].filter(({ path, json }) => old.get(path.join())?.json !== json);
  const gone = [...old.values()].filter(({ path }) => !now.has(path.join()));
  return [...changed, ...gone.map(({ path }) => ({ path, json: undefined }))];
}

export const nameOf = ({ path }: Part) =>
  path.length === 1
    ? (path[0] ?? '')
    : path.filter((_, place) => place !== 0 && !(place === 2 && path.length === 4)).join('.');

export function withParts(text: string, parts: readonly Part[]): string {
  return parts.reduce(
    (next, { path, json }) => (json === undefined ? removeMember(next, path) : setMember(next, path, inlined(json))),
    text,
  );
}

function partsOf(text: string): ReadonlyMap<string, Part> {
  const outside = [...membersOfFile(text)].map(([member, json]): Part => ({ path: [member], json }));
  const parts = (collectionsIn(text) ?? []).flatMap(({ name, members, fields }): Part[] => [
    ...[...members].map(([member, json]) => ({ path: ['collections', name, member], json })),
    ...fields.map(({ name: field, ...declared }) => ({
      path: ['collections', name, 'fields', field],
      json: declarationOf(declared),
    })),
  ]);
  return new Map([...outside, ...parts].map((part) => [part.path.join(), part]));
}
