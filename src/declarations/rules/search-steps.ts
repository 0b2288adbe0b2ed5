/** The steps that the search by words needs. */
import type { CollectionDeclaration } from '../../domain/record/declaration.ts';
import { searchedFields } from '../../domain/record/searched-fields.ts';
import type { Step } from '../step.ts';

/** `before` has the names of now. A server with the other file would store records without their words, or look for words that are gone. */
export function searchSteps(name: string, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const [had, has] = [searchedFields(before), searchedFields(after)];
  const isLeft = (field: string) => Object.hasOwn(after.fields, field);
  return [
    ...has
      .filter((field) => !had.includes(field))
      .map((field): Step => ({ text: `${name}.${field}: index its words`, risk: 'check' })),
    ...had
      .filter((field) => !has.includes(field) && isLeft(field))
      .map((field): Step => ({ text: `${name}.${field}: remove the index of its words`, risk: 'check' })),
  ];
}
