/** Checks declarations of collections: every mistake at once, each with its path. */

import { Failure } from '../domain/errors.ts';
import { isObject } from '../domain/input/json.ts';
import { suggestion } from '../domain/input/suggest.ts';
import { collection, typeName } from '../domain/record/collection.ts';
import type { CollectionDeclaration, Declarations, FieldDeclaration } from '../domain/record/declaration.ts';
import { mayBeAbsent } from '../domain/record/record-schemas.ts';
import { cascadeCycles } from './cascade-cycles.ts';
import { checkTexts, hasKnownType, readField } from './check-field.ts';
import { type Mistakes, pathTo, shown } from './mistakes.ts';
import { collectionNameMistake, fieldNameMistake, isTaken, nameMistake, reserved } from './names.ts';
import { checkChecks } from './rules/check-checks.ts';
import { checkIndexes } from './rules/check-indexes.ts';
import { checkSearch } from './rules/check-search.ts';
import { checkShownAs } from './rules/check-shown-as.ts';
import { checkUnique } from './rules/check-unique.ts';

export const maxCollections = 200;
export const maxFields = 200;

export const collectionOptions = [
  'singular',
  'fields',
  'indexes',
  'unique',
  'check',
  'search',
  'shown_as',
  'first',
  'contract',
  'title',
  'description',
  'was',
];

/** `others` are served beside the declared ones. The result is of use only if there is no mistake. */
export function readDeclarations(value: unknown, path: string, others: Declarations, mistakes: Mistakes): Declarations {
  if (!isObject(value)) {
    mistakes.add(path, `must be an object with a declaration for each collection, not ${shown(value)}`);
    return {};
  }
  const names = Object.keys(value);
  if (names.length > maxCollections)
    mistakes.add(path, `has ${names.length} collections; at most ${maxCollections} are possible`);
  const given = Object.entries(value).map(([name, one]) => ({ name, value: one, path: pathTo(path, name) }));
  const read = readCollections(given, [...Object.keys(others), ...names], mistakes);
  const declarations = Object.fromEntries(read.map(({ name, declaration }) => [name, declaration]));
  checkNamesTogether({ ...others, ...declarations }, declarations, path, mistakes);
  for (const cycle of cascadeCycles(declarations)) {
    const [first = ''] = cycle;
    mistakes.add(
      `${path}.${first}`,
      `a deletion would cascade in a cycle (${[...cycle, first].join(' -> ')}): use "restrict" or "clear" in one of them`,
    );
  }
  return declarations;
}

type Given = { readonly name: string; readonly value: unknown; readonly path: string };
type Read = Omit<Given, 'value'> & { readonly declaration: CollectionDeclaration };

/**
 * Each alone, and what it refers to, which is one of `known`; undefined if there are others. The result is of use only if
 * there is no mistake.
 */
export function readCollections(
  given: readonly Given[],
  known: readonly string[] | undefined,
  mistakes: Mistakes,
): Read[] {
  const read = given.flatMap(({ name, value, path }) => {
    const count = mistakes.all.length;
    const declaration = readCollection(name, value, path, mistakes);
    if (declaration === undefined) return [];
    const { first, ...others } = declaration;
    const isFirst = mistakes.all.length > count || checkFirst(name, declaration, path, mistakes);
    // A database may have one that was right once. It was stored then.
    return [{ name, declaration: isFirst || mistakes.origin === 'file' ? declaration : others, path }];
  });
  for (const one of read) checkReferences(one, known, mistakes);
  return read;
}

function readCollection(
  name: string,
  value: unknown,
  path: string,
  mistakes: Mistakes,
): CollectionDeclaration | undefined {
  if (isTaken(name)) mistakes.addInFile(path, reserved(name));
  const wrongName = collectionNameMistake(name);
  if (wrongName !== undefined) mistakes.add(path, wrongName);
  if (!isObject(value)) return mistakes.add(path, `must be an object with "fields", not ${shown(value)}`);
  for (const key of Object.keys(value)) {
    if (!collectionOptions.includes(key))
      mistakes.addInFile(pathTo(path, key), `there is no such option${suggestion(key, collectionOptions)}`);
  }
  checkTexts(value, path, mistakes);
  const { singular = name, contract } = value;
  const wrongSingular = typeof singular === 'string' ? nameMistake(singular) : `must be a name, not ${shown(singular)}`;
  if (wrongSingular !== undefined && value.singular !== undefined) mistakes.add(`${path}.singular`, wrongSingular);
  // The contract's own collections have more to say than a file can.
  const isOwn = mistakes.origin === 'memory' && isContractOptions(contract);
  if (contract !== undefined && typeof contract !== 'boolean' && !isOwn)
    mistakes.add(`${path}.contract`, `must be true or false, not ${shown(contract)}`);
  const fields = readFields(value.fields, `${path}.fields`, contract === true || isOwn, mistakes);
  const named = isObject(value.fields) ? Object.keys(value.fields) : [];
  checkIndexes(value.indexes, { fields, named }, `${path}.indexes`, mistakes);
  checkUnique(value.unique, { fields, named }, `${path}.unique`, mistakes);
  checkChecks(value.check, { fields, named }, `${path}.check`, mistakes);
  checkSearch(value.search, { fields, named }, path, mistakes);
  checkShownAs(value.shown_as, { fields, named }, `${path}.shown_as`, mistakes);
  if (value.first !== undefined && !isObject(value.first))
    mistakes.add(`${path}.first`, `must be a record, not ${shown(value.first)}`);
  // Also with a mistake: what is right in it is compared with the other collections.
  return { ...value, singular: typeof singular === 'string' ? singular : name, fields } as CollectionDeclaration;
}

function isContractOptions(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.operations) && typeof value.id === 'string';
}

function readFields(
  value: unknown,
  path: string,
  hasContract: boolean,
  mistakes: Mistakes,
): Readonly<Record<string, FieldDeclaration>> {
  if (!isObject(value) || Object.keys(value).length === 0) {
    mistakes.add(
      path,
      `must be an object with at least one field${value === undefined ? '' : `, not ${shown(value)}`}`,
    );
    return {};
  }
  const names = Object.keys(value);
  if (names.length > maxFields) mistakes.add(path, `has ${names.length} fields; at most ${maxFields} are possible`);
  const fields: Record<string, FieldDeclaration> = {};
  const former = new Map<string, string>();
  for (const [name, one] of Object.entries(value)) {
    const wrongName = fieldNameMistake(name, hasContract);
    const where = pathTo(path, name);
    if (wrongName !== undefined) mistakes.add(where, wrongName);
    const declared = readField(one, where, mistakes);
    if (declared !== undefined) fields[name] = declared;
    if (declared?.was === undefined) continue;
    const other = former.get(declared.was);
    if (names.includes(declared.was))
      mistakes.addInFile(`${where}.was`, `there is a field "${declared.was}" now: remove one of them`);
    else if (other !== undefined)
      mistakes.addInFile(`${where}.was`, `${other} was "${declared.was}", too: remove one of them`);
    former.set(declared.was, name);
  }
  return fields;
}

function checkReferences(
  { name, declaration, path }: Read,
  known: readonly string[] | undefined,
  mistakes: Mistakes,
): void {
  for (const [key, { to, optional }] of Object.entries(declaration.fields)) {
    if (to === undefined) continue;
    const where = pathTo(`${path}.fields`, key);
    const isKnown = known === undefined ? nameMistake(to) === undefined : known.includes(to);
    if (!isKnown) mistakes.add(where, `there is no collection ${shown(to)}${suggestion(String(to), known ?? [])}`);
    if (to === name && optional !== true)
      mistakes.add(where, 'a reference to its own collection must be optional, or no record could be the first');
  }
}

/** Names that must differ between collections: those of schemas and operations in OpenAPI, and former names. */
function checkNamesTogether(all: Declarations, declared: Declarations, path: string, mistakes: Mistakes): void {
  const taken = new Map<string, string>();
  const former = new Map<string, string>();
  for (const [name, { singular, contract, was, fields }] of Object.entries(all)) {
    const where = `${path}.${name}`;
    const schemaName = typeName(singular);
    const schemas = suffixes.map((suffix) => `${schemaName}${suffix}`);
    // A body has a schema of its own only where it may leave fields out.
    const bodies = Object.values(fields).some(mayBeAbsent) ? [`${schemaName}Body`] : [];
    const ofSingular = [...schemas, ...(contract ? [schemaName, ...bodies] : []), `create${schemaName}`];
    const isTaken = (one: string) => ownSchemas.includes(one) || (taken.get(one) ?? name) !== name;
    const clash = ofSingular.find(isTaken);
    const plural = `create${typeName(name)}`;
    if (Object.hasOwn(declared, name) && clash !== undefined)
      mistakes.add(`${where}.singular`, sameName(singular, clash, taken));
    else if (Object.hasOwn(declared, name) && isTaken(plural)) mistakes.add(where, sameName(name, plural, taken));
    for (const one of [...ofSingular, plural]) taken.set(one, name);
    if (was === undefined) continue;
    const other = former.get(was);
    if (other !== undefined) mistakes.add(`${where}.was`, `${other} was "${was}", too: remove one of them`);
    former.set(was, name);
  }
}

function sameName(given: string, name: string, taken: ReadonlyMap<string, string>): string {
  return `"${given}" has the same name in OpenAPI (${name}) as ${taken.get(name) ?? 'Shelf'}: choose another one`;
}

/** Of the schemas of a collection. */
const suffixes = ['Record', 'Draft', 'Patch', 'Page', 'Change', 'Where', 'Summary', 'SummaryRow'];

/** Schemas in OpenAPI that are not of a collection. */
const ownSchemas = [
  ...['Change', 'ChangePage', 'BulkResult', 'KeyedBulkResult', 'Error', 'Problem'],
  ...['Create', 'Update', 'Replace', 'Add', 'Delete', 'Upsert', 'Check', 'Transaction'].map((op) => `${op}Operation`),
  ...['TransactionRequest', 'TransactionResults', 'RecordResult', 'CountResult', 'CountBounds', 'CreatedReference'],
];

/** The first record is a record like any other. */
function checkFirst(name: string, declaration: CollectionDeclaration, path: string, mistakes: Mistakes): boolean {
  const { first, fields, contract } = declaration;
  if (first === undefined || !Object.values(fields).every(hasKnownType)) return true;
  const known = [...(contract ? ['id'] : []), ...Object.keys(fields)];
  for (const key of Object.keys(first)) {
    if (!known.includes(key))
      mistakes.addInFile(pathTo(`${path}.first`, key), `there is no such field${suggestion(key, known)}`);
  }
  try {
    collection(name, declaration);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    for (const { field, message } of error.problems ?? []) mistakes.addInFile(`${path}.first.${field ?? ''}`, message);
    return false;
  }
}
