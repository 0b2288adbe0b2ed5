/** The name that the server knows a collection by. */
import type { FileCollection } from '../../schema/file/model.ts';
import type { Settings } from '../../schema/settings.ts';

/** Undefined for a new collection. */
export function originOfCollection({ name, members }: FileCollection, { collections }: Settings): string | undefined {
  if (collections[name] !== undefined) return name;
  const was = JSON.parse(members.get('was') ?? 'null') as unknown;
  return typeof was === 'string' && collections[was] !== undefined ? was : undefined;
}
