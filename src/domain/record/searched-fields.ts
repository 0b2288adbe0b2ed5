/** The fields by whose words records can be searched. */
import type { CollectionDeclaration } from './declaration.ts';

/** However each is declared, in the order of the record. */
export function searchedFields({ fields, search = [] }: CollectionDeclaration): readonly string[] {
  return Object.keys(fields).filter((key) => fields[key]?.search === true || search.includes(key));
}
