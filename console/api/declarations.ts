/** The collections that the caller may read, as they are declared. */
import { clockDefaults } from '../../src/exact/clock-default.ts';
import { plain } from './json.ts';
import { send } from './request.ts';

export type FieldDeclaration = {
  readonly type: string;
  readonly optional?: boolean;
  readonly unique?: boolean;
  readonly search?: boolean;
  readonly default?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly pattern?: string;
  readonly scale?: number;
  /** The texts of a choice, or the elements of a list. */
  readonly of?: readonly string[] | string | FieldDeclaration;
  /** The collection of a reference. */
  readonly to?: string;
  /** `restrict` if absent. */
  readonly on_delete?: 'restrict' | 'clear' | 'cascade';
};

/** The declaration of the elements of a list. */
export function elementOf({ of }: FieldDeclaration): FieldDeclaration {
  return typeof of === 'string' ? { type: of } : ((of as FieldDeclaration | undefined) ?? { type: 'text' });
}

export type UniqueRule = readonly string[] | { readonly fields: readonly string[]; readonly where?: unknown };
export type CheckRule = { readonly where: Condition; readonly message: string };
/** The filter language, as it is declared. */
export type Condition = { readonly [member: string]: unknown };
const clocks: Readonly<Record<string, string>> = clockDefaults;

/** Whether the default of the field is the moment of the change. */
export function isClockDefault({ type, default: preset }: FieldDeclaration): boolean {
  return preset !== undefined && clocks[type] === preset;
}

export type Collection = {
  readonly name: string;
  readonly singular: string;
  readonly title?: string;
  readonly description?: string;
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  /** Each is a field, or several in their order. */
  readonly indexes?: readonly (string | readonly string[])[];
  /** Fields whose values are unique together, of all records or of those for which `where` holds. */
  readonly unique?: readonly UniqueRule[];
  /** What each record meets. The message follows the name of a field. */
  readonly check?: readonly CheckRule[];
  /** Text fields whose words are indexed, beside those that say so themselves. */
  readonly search?: readonly string[];
  /** The text field that names a record for people. */
  readonly shown_as?: string;
  /** Its records have an `external_id`, and routes of the contract. */
  readonly contract: boolean;
};

type Index = {
  readonly version: string;
  readonly links: { readonly docs?: string };
  readonly collections: readonly { readonly name: string; readonly declaration: Omit<Collection, 'name'> }[];
};

export type Service = {
  readonly version: string;
  /** The page of the documentation; undefined if there is none. */
  readonly docs: string | undefined;
  readonly collections: readonly Collection[];
};

export async function readService(): Promise<Service> {
  const { version, links, collections } = plain(await send({ path: '/api/v2' })) as Index;
  return {
    version,
    docs: links.docs,
    collections: collections.map(({ name, declaration }) => ({ ...declaration, name })),
  };
}
