/** A collection with some of its fields: one that is left out is, in every message and answer, a field that does not exist. */
import { type Collection, collection as compile } from '../record/collection.ts';
import type { CollectionDeclaration, FieldDeclaration } from '../record/declaration.ts';
import { fieldsOfRule } from '../record/unique-rules.ts';

/** `hasTarget` says whether references to a collection lead anywhere. */
export function seenCollection(
  stored: Collection,
  isVisible: (field: string) => boolean,
  hasTarget: (collection: string) => boolean,
): Collection {
  const { declaration, name } = stored;
  const { first: _, check: __, indexes: ___, unique: ____, search = [], shown_as: shownAs, ...rest } = declaration;
  const some: CollectionDeclaration = {
    ...rest,
    fields: fieldsOf(declaration, isVisible),
    search: search.filter(isVisible),
    ...(shownAs !== undefined && isVisible(shownAs) ? { shown_as: shownAs } : {}),
  };
  const seen = compile(name, some);
  return Object.create(seen, {
    references: { value: seen.references.filter(({ to }) => hasTarget(to)) },
    unique: { value: stored.unique.filter((rule) => [...fieldsOfRule(rule)].every(isVisible)) },
  }) as Collection;
}

/** A field is not unique by itself: the rules are those of the whole collection. */
function fieldsOf(
  { fields }: CollectionDeclaration,
  isVisible: (field: string) => boolean,
): Readonly<Record<string, FieldDeclaration>> {
  const visible = Object.entries(fields).filter(([key]) => isVisible(key));
  return Object.fromEntries(visible.map(([key, { unique: _, ...field }]) => [key, field]));
}
