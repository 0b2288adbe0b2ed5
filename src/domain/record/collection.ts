/** A collection, compiled from its declaration: its schema, parsing and encoding follow from it. */

import { invalidBody, type Problem } from '../errors.ts';
import { type Json, parseJson } from '../input/json.ts';
import { lazy } from '../lazy.ts';
import { compileField } from '../types/all-types.ts';
import { type CheckRule, compileCheck, judgeOf } from './check-rules.ts';
import type { CollectionDeclaration, ContractOptions } from './declaration.ts';
import { encoder } from './encode.ts';
import type { Schema } from './json-schema.ts';
import { draftEncoders, stamper } from './open-moments.ts';
import { Effort } from './pattern-effort.ts';
import { plainJson } from './plain-data.ts';
import { type Column, columnsOf, externalId, type RecordShape, recordShape, textsOf } from './record.ts';
import { contractSchemas, mayBeAbsent } from './record-schemas.ts';
import { absentValues, type Fields, type Members, objectIn, type Row, readFields } from './row.ts';
import { ruleSubject } from './rule-condition.ts';
import { searchedFields } from './searched-fields.ts';
import { compileRule, declaredRules, type UniqueRule, wholeRules } from './unique-rules.ts';

export type Collection = {
  readonly name: string;
  readonly singular: string;
  readonly declaration: CollectionDeclaration;
  readonly schemaName: string;
  /** Names the collection in OpenAPI, as in `listItems`. */
  readonly pluralName: string;
  /** The contract's routes; undefined if the collection has none. */
  readonly contract: ContractOptions | undefined;
  /** Each is a list of fields: the declared ones, and one for each reference that is not unique. */
  readonly indexes: readonly (readonly string[])[];
  /** Each has an index of its own. */
  readonly unique: readonly UniqueRule[];
  /** Each holds for every record. */
  readonly checks: readonly CheckRule[];
  readonly references: readonly Reference[];
  /** Fields whose words are indexed, in the order of the record. */
  readonly searched: readonly string[];
  /** The record that a new table starts with. */
  readonly first: Row | undefined;
  /** The contract's id, if the collection has it, then the declared fields, in the order of the encoded record. */
  readonly fields: Fields;
  /** A record in the contract API. */
  readonly schema: Schema;
  /** A body that creates a record in the contract API. */
  readonly bodySchema: Schema;
  /** Fields of a body can be left out, so that its schema differs from that of a record. */
  readonly hasAbsent: boolean;
  /** The members of a body in the contract API. */
  readonly members: Members;
  /** Parses a body of the contract API; throws `invalid_body` with every problem at once. Unknown fields are dropped. */
  parse(json: Json): Row;
  /** As stored, but for open fields. */
  encode(row: Row): string;
  /** Writes the moment of the change into an encoded draft; undefined if none has an open field. */
  readonly stamp: ((json: string, at: string) => string) | undefined;
  /** A record, for examples; undefined if no right value is known for one of its fields, or if they break a rule. */
  readonly example: Row | undefined;
  /** The record in the production API. */
  readonly record: RecordShape;
  /** Every column of a record, by its name in the production API. */
  readonly columns: ReadonlyMap<string, Column>;
};

/** A field that refers to a record of the collection `to`. */
export type Reference = {
  readonly field: string;
  readonly to: string;
  readonly onDelete: 'restrict' | 'clear' | 'cascade';
};

const everyOperation: ContractOptions = { operations: ['fetch', 'delete'], id: 'id' };

/** For a declaration without problems. What depends on the types of fields is compiled when it is first needed. */
export function collection(name: string, declaration: CollectionDeclaration): Collection {
  const { singular, contract: asked, first } = declaration;
  const contract = asked === true ? everyOperation : asked || undefined;
  const searched = searchedFields(declaration);
  const fields = lazy((): Fields => {
    const declared = Object.entries(declaration.fields).map(([key, field]) => {
      const isSearched = searched.includes(key) && !field.search;
      return [key, compileField(isSearched ? { ...field, search: true } : field)] as const;
    });
    return Object.fromEntries(contract === undefined ? declared : [['id', externalId], ...declared]);
  });
  const named = lazy(() => Object.entries(fields()));
  const record = lazy(() => recordShape(singular, fields(), judge));
  const columns = lazy(() => columnsOf(fields()));
  const members = lazy(() => ({ keys: Object.keys(fields()), texts: textsOf(fields()) }));
  const encode = lazy(() => encoder(draftEncoders(fields())));
  const stamp = lazy(() => stamper(fields()));
  const absent = lazy(() => absentValues(named()));
  const subject = lazy(() => ruleSubject(name, declaration.fields, columns()));
  const unique = lazy(() => declaredRules(declaration).map((rule) => compileRule(rule, subject)));

  const checks = lazy(() => (declaration.check ?? []).map((rule) => compileCheck(rule, subject)));
  const judge = lazy(() => judgeOf(checks(), fields(), subject));

  function parse(json: Json): Row {
    const problems: Problem[] = [];
    const reading = { absent: absent(), effort: new Effort() };
    const row = readFields(objectIn(singular, json), named(), json, reading, problems);
    judge()?.(row, problems);
    if (problems.length > 0) throw invalidBody(singular, problems);
    return row;
  }
  const schemas = lazy(() => contractSchemas(fields()));
  const rowOf = (plain: object) => parse(parseJson(plainJson(plain)));
  const firstRow = first === undefined ? undefined : rowOf({ ...(contract === undefined ? {} : { id: 1 }), ...first });
  // A first record may be private.
  const example = lazy((): Row | undefined => {
    if (first !== undefined && typeof asked === 'object') return rowOf({ id: 1, ...first });
    if (named().some(([, field]) => field.example === undefined)) return undefined;
    const row = Object.fromEntries(
      named().map(([key, { revive, example }]) => [key, revive(example, plainJson(example))]),
    );
    const problems: Problem[] = [];
    judge()?.(row, problems);
    return problems.length === 0 ? row : undefined;
  });

  return {
    name,
    singular,
    declaration,
    schemaName: typeName(singular),
    pluralName: typeName(name),
    contract,
    indexes: indexesOf(declaration),
    get unique() {
      return unique();
    },
    get checks() {
      return checks();
    },
    references: Object.entries(declaration.fields).flatMap(([field, { to, on_delete = 'restrict' }]) =>
      to === undefined ? [] : [{ field, to, onDelete: on_delete }],
    ),
    searched,
    first: firstRow,
    get fields() {
      return fields();
    },
    get schema() {
      return schemas().record;
    },
    get bodySchema() {
      return schemas().body;
    },
    hasAbsent: Object.values(declaration.fields).some(mayBeAbsent),
    get members() {
      return members();
    },
    parse,
    encode: (row) => encode()(row),
    get stamp() {
      return stamp();
    },
    get example() {
      return example();
    },
    get record() {
      return record();
    },
    get columns() {
      return columns();
    },
  };
}

/** Whether records of this collection can be referred to. */
export function isReferenced(name: string, collections: readonly Collection[]): boolean {
  return collections.some(({ references }) => references.some(({ to }) => to === name));
}

/** Each after those that it refers to, as far as that is possible: the order in which first records can be added. */
export function targetsFirst(collections: readonly Collection[]): readonly Collection[] {
  const ordered = new Set<Collection>();
  function visit(collection: Collection, trail: readonly Collection[]): void {
    if (ordered.has(collection) || trail.includes(collection)) return;
    for (const { to } of collection.references) {
      const target = collections.find(({ name }) => name === to);
      if (target !== undefined) visit(target, [...trail, collection]);
    }
    ordered.add(collection);
  }
  for (const collection of collections) visit(collection, []);
  return [...ordered];
}

function indexesOf(declaration: CollectionDeclaration): readonly (readonly string[])[] {
  const { fields, indexes = [] } = declaration;
  const declared = indexes.map((index) => (typeof index === 'string' ? [index] : index));
  const others = [...declared, ...wholeRules(declaredRules(declaration))];
  const references = Object.keys(fields).filter(
    (key) => fields[key]?.to !== undefined && !others.some((index) => index.length === 1 && index[0] === key),
  );
  return [...declared, ...references.map((key) => [key])];
}

/** `order_line` becomes `OrderLine`, as in generated code. */
export function typeName(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
