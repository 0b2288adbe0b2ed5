/** What a field takes, in a few words. */
import { elementOf, type FieldDeclaration } from '../../../api/declarations.ts';
import { boundsText } from '../../../parts/values/bounds-text.ts';

export function hintOf(field: FieldDeclaration): string {
  const { type, min, max, optional, unique, scale, to, pattern } = field;
  const unit = type === 'text' ? ' characters' : type === 'list' ? ' elements' : type === 'json' ? ' bytes' : '';
  const kind = type === 'list' ? `list of ${elementOf(field).type}` : type === 'reference' ? `id of ${to}` : type;
  return [
    kind,
    boundsText(min, max, unit),
    scale === undefined ? undefined : `${scale} places`,
    pattern === undefined ? undefined : `like ${pattern}`,
    unique === true ? 'unique' : undefined,
    optional === true ? 'optional' : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** What the server sets if the field is left empty, and its default is the moment. */
export function momentHint({ type }: FieldDeclaration): string {
  return `left empty, the current ${type === 'date' ? 'day (UTC)' : 'time'}`;
}
