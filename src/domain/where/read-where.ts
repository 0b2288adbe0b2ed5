/** Reads the filter language from JSON. Finds every mistake, each with the path to it. */
import type { Problem } from '../errors.ts';
import { isObject, type ParsedText } from '../input/json.ts';
import { namesIn } from '../input/names-in.ts';
import { isSameType } from '../types/all-types.ts';
import type { Field, FieldValue, Operator, Refusal } from '../types/type.ts';
import { filterKind } from '../types/type.ts';
import { type FieldPath, fieldPath, operatorOfValue, type TargetOf, wordsFilter } from './field-path.ts';
import {
  betweenFields,
  type Condition,
  excessIn,
  type Filterable,
  maxConditions,
  maxFolded,
  maxLevels,
  operatorsOf,
  type Where,
} from './where.ts';

/** The members and elements that lead to a place in the JSON. */
type Place = readonly (string | number)[];

/** The field that a member is about. The refusal follows the name. */
export type FindField = (name: string) => FieldPath | Refusal;

/** The problems are added to `problems`; if there are any, the result has no meaning. */
export function readWhere(
  collection: Filterable,
  sent: ParsedText,
  targetOf: TargetOf,
  problems: Problem[],
  at: Place = [],
): Where {
  return readWhereOf((name) => fieldPath(collection, name, targetOf), sent, problems, at);
}

/** The same, for fields that are found in another way. */
export function readWhereOf(find: FindField, sent: ParsedText, problems: Problem[], at: Place = []): Where {
  const reader = new WhereReader(find, problems);
  const where = reader.where(sent, at, 0);
  const { tooMany } = reader;
  const excess = tooMany > 0 ? { found: tooMany, most: maxConditions, what: 'values' } : excessIn(where);
  if (excess !== undefined) reader.mistake(at, `has ${excess.found} ${excess.what}: at most ${excess.most} together`);
  return where;
}

class WhereReader {
  /** How many values are in lists and objects that are too long to be read. */
  tooMany = 0;

  constructor(
    readonly find: FindField,
    readonly problems: Problem[],
  ) {}

  mistake(at: Place, message: string): [] {
    const field = at.at(-1);
    this.problems.push({ field: field === undefined ? undefined : String(field), at: at.slice(0, -1), message });
    return [];
  }

  #isTooLong(length: number): boolean {
    if (length <= maxConditions) return false;
    this.tooMany += length;
    return true;
  }

  where(sent: ParsedText, at: Place, level: number): Where {
    if (level > maxLevels) return this.mistake(at, `is more than ${maxLevels} levels of any, all and not deep`);
    if (!isObject(sent.value)) return this.mistake(at, 'must be an object of conditions');
    const names = Object.keys(sent.value);
    if (this.#isTooLong(names.length)) return [];
    return names.flatMap((name) => this.#member(name, sent.member(name), [...at, name], level));
  }

  #member(name: string, sent: ParsedText, at: Place, level: number): Where {
    if (name === 'not') return [{ not: this.where(sent, at, level + 1) }];
    if (name === 'all') return this.#list(sent, at, level).flat();
    if (name === 'any') return [{ any: this.#list(sent, at, level) }];
    const path = this.find(name);
    return 'refused' in path ? this.mistake(at, path.refused) : this.#filters(path, sent, at);
  }

  #list(sent: ParsedText, at: Place, level: number): readonly Where[] {
    const { value } = sent;
    if (Array.isArray(value) && this.#isTooLong(value.length)) return [];
    const elements = sent.elements() ?? [];
    if (elements.length === 0) this.mistake(at, 'must be a list of at least one object of conditions');
    return elements.map((element, index) => this.where(element, [...at, index], level + 1));
  }

  #filters(path: FieldPath, sent: ParsedText, at: Place): readonly Condition[] {
    const operators = operatorsOf(path.field);
    if (operators.length === 0)
      return this.mistake(at, `cannot be filtered by: ${path.field.declared.type} has no operators`);
    const { value } = sent;
    const hasOperators = isObject(value);
    const given = hasOperators ? namesIn(value, (name) => isOneOf(operators, name)) : [operatorOfValue(path.field)];
    return given.flatMap((operator) => {
      const place = hasOperators ? [...at, operator] : at;
      return isOneOf(operators, operator)
        ? this.#filter(path, operator, hasOperators ? sent.member(operator) : sent, place)
        : this.mistake(
            place,
            `${hasOperators ? 'is no operator of this field' : 'must be an object of operators'}: it has ${operators.join(', ')}`,
          );
    });
  }

  #filter(path: FieldPath, operator: Operator, sent: ParsedText, at: Place): readonly Condition[] {
    const { key, via, of, field } = path;
    const filter = { field: key, operator, ...(via === undefined ? {} : { via }) };
    if (isObject(sent.value) && betweenFields.includes(operator)) {
      const other = this.#otherField(of, field, sent.value, at);
      return other === undefined ? [] : [{ ...filter, values: [], other }];
    }
    if (operator === 'in') {
      const { value } = sent;
      if (Array.isArray(value) && this.#isTooLong(value.length)) return [];
      const elements = sent.elements();
      if (elements === undefined) return this.mistake(at, 'must be a list of values');
      const values = elements.flatMap((one, index) => this.#value(field, one, [...at, index]));
      return values.length === 0 ? [{ any: [] }] : [{ ...filter, values }];
    }
    if (operator === 'is') {
      const { value } = sent;
      return value === 'null' || value === 'set'
        ? [{ ...filter, values: [value] }]
        : this.mistake(at, 'must be "null" or "set"');
    }
    const values = this.#value(field, sent, at);
    const [value] = values;
    if (operator === 'words') return values.length === 0 ? [] : [wordsFilter(path, String(value))];
    if (operator.endsWith('_ci') && typeof value === 'string' && value.length > maxFolded)
      return this.mistake(at, `must have at most ${maxFolded} characters`);
    return values.length === 0 ? [] : [{ ...filter, values }];
  }

  /** The name of the field to compare with. */
  #otherField(of: Filterable, field: Field, sent: object, at: Place): string | undefined {
    const [member, ...more] = Object.entries(sent) as [string, unknown][];
    const name = member?.[0] === 'field' && more.length === 0 ? member[1] : undefined;
    if (typeof name !== 'string') return void this.mistake(at, 'must be a value, or {"field":"name"}');
    const other = of.columns.get(name)?.field;
    if (other === undefined)
      return void this.mistake([...at, 'field'], `must be a field of ${of.name}: ${[...of.columns.keys()].join(', ')}`);
    if (isSameType(field, other)) return name;
    return void this.mistake([...at, 'field'], 'has another type than the field that is compared');
  }

  #value({ filter }: Field, sent: ParsedText, at: Place): FieldValue[] {
    if (sent.value === null) return this.mistake(at, 'cannot be null: compare with {"is":"null"}');
    const wanted = filterKind(filter);
    const kind = typeof sent.value;
    const text = () => (typeof sent.value === 'number' ? sent.digits : String(sent.value));
    const value = kind === wanted ? filter.parse(text()) : undefined;
    if (value !== undefined) return [value];
    const how = kind === wanted ? '' : wanted === 'string' ? ', in a string' : ', without quotes';
    return this.mistake(at, `must be ${filter.expected}${how}`);
  }
}

function isOneOf(operators: readonly Operator[], name: string): name is Operator {
  return operators.some((operator) => operator === name);
}
