/** The declarations that a database remembers, the same in every engine: the setting `collections`. */
import type { Remembered } from '../declarations/plan.ts';
import type { CollectionDeclaration, FieldDeclaration } from '../domain/declaration.ts';
import { parsePlain, plainJson } from '../domain/plain.ts';

export const rememberedSetting = 'collections';

export function encodeRemembered(remembered: Remembered): string {
  return plainJson(remembered);
}

export function decodeRemembered(text: string | undefined): Remembered {
  return text === undefined ? {} : (parsePlain(text) as unknown as Remembered);
}

/** A collection of a release that remembered nothing: all had the contract's id, and fields of three types. */
export function inferred(fields: Readonly<Record<string, FieldDeclaration>>, singular: string): CollectionDeclaration {
  return { singular, fields, contract: true };
}
