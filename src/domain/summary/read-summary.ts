/** Parses and validates the parameters of a summary. Finds every mistake at once. */
import { exactInteger } from '../../exact/integer.ts';
import { type Problem, withProblems } from '../errors.ts';
import { type ParsedText, parseJson } from '../input/json.ts';
import { InvalidParameter, parametersOf, repeatedParameter, shortened } from '../input/parameters.ts';
import type { Order } from '../input/query.ts';
import type { Collection } from '../record/collection.ts';
import type { TargetOf } from '../where/field-path.ts';
import { addFilter, readFilter } from '../where/read-parameter.ts';
import { readWhere, readWhereOf } from '../where/read-where.ts';
import { excessIn, type Filter, type Where } from '../where/where.ts';
import { columnsOf, fieldsOf, filterable, operationsOf } from './columns.ts';
import { type GroupBy, type Measure, maxRows, most, type Summary } from './summary.ts';

/** Every other parameter is a filter. */
export const summaryNames = ['group', 'measures', 'where', 'having', 'sort', 'limit'] as const;
type Name = (typeof summaryNames)[number];
/** Separated by commas, or repeated, as many client libraries do. */
const lists: readonly Name[] = ['group', 'measures', 'sort'];

/** What records can be grouped by. */
export function groupsOf({ columns }: Collection): readonly GroupBy[] {
  return [...columns].flatMap(([key, { field }]) => {
    const parts = Object.keys(field.parts ?? {}).map((part) => ({ name: `${key}.${part}`, key, part }));
    return field.isOrdered ? [{ name: key, key }, ...parts] : [];
  });
}

export function measuresOf({ columns }: Collection): readonly Measure[] {
  const ofFields = [...columns].flatMap(([key, { field }]) =>
    operationsOf(field).map((operation) => ({ name: `${key}.${operation}`, key, operation })),
  );
  return [{ name: 'count' }, ...ofFields];
}

/** Throws `invalid_query`, and `forbidden` if a path leads to records that the caller may not read. */
export function parseSummary(collection: Collection, search: string, targetOf: TargetOf): Summary {
  const reader = new SummaryReader(collection, targetOf);
  const summary = reader.read(search);
  if (reader.problems.length === 0) return summary;
  throw withProblems('invalid_query', 'Invalid summary', 'it', reader.problems);
}

class SummaryReader {
  readonly problems: Problem[] = [];

  constructor(
    readonly collection: Collection,
    readonly targetOf: TargetOf,
  ) {}

  read(search: string): Summary {
    const given = new Map<Name, string>();
    const filters: Filter[] = [];
    for (const [name, value] of parametersOf(search)) {
      const own = summaryNames.find((one) => one === name);
      if (own === undefined) this.#attempt(() => addFilter(filters, this.#filter(name, value)));
      else if (!given.has(own)) given.set(own, value);
      else if (lists.includes(own)) given.set(own, `${given.get(own)},${value}`);
      else
        this.#attempt(() => {
          throw repeatedParameter(own);
        });
    }
    const groups = this.#named('group', given.get('group'), groupsOf(this.collection), most.groups);
    const asked = this.#named('measures', given.get('measures'), measuresOf(this.collection), most.measures);
    const measures: readonly Measure[] = given.has('measures') ? asked : [{ name: 'count' }];
    for (const { name } of groups.filter((group) => measures.some((one) => one.name === group.name)))
      this.#mistake('group', `has ${name}, which is a measure, too: ask for one of them`);
    return {
      groups,
      measures,
      where: this.#where(filters, given.get('where')),
      having: this.#having(measures, given.get('having')),
      sort: this.#sort([...groups, ...measures], given.get('sort')),
      limit: this.#limit(given.get('limit')),
    };
  }

  #mistake(parameter: string, message: string): void {
    this.problems.push({ field: undefined, parameter, message });
  }

  /** Keeps the mistake of a parameter. */
  #attempt(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof InvalidParameter)) throw error;
      this.#mistake(error.parameter, error.mistake);
    }
  }

  #filter(name: string, value: string): Filter {
    return readFilter(this.collection, [name, value], this.targetOf, summaryNames);
  }

  #named<One extends { readonly name: string }>(
    parameter: Name,
    text: string | undefined,
    known: readonly One[],
    atMost: number,
  ): readonly One[] {
    if (text === undefined) return [];
    const entries = text.split(',');
    if (entries.length > atMost) this.#mistake(parameter, `has ${entries.length} names: at most ${atMost}`);
    return entries.flatMap((entry, at) => {
      if (entries.indexOf(entry) < at) this.#mistake(parameter, `has ${shortened(entry)} twice`);
      return this.#one(parameter, entry, known);
    });
  }

  #one<One extends { readonly name: string }>(parameter: Name, entry: string, known: readonly One[]): readonly One[] {
    const found = known.filter(({ name }) => name === entry);
    if (found.length === 0)
      this.#mistake(parameter, `has ${shortened(entry)}: expected ${listed(known.map(({ name }) => name))}`);
    return found;
  }

  #where(filters: readonly Filter[], json: string | undefined): Where {
    const more = this.#json('where', json, (sent, problems) =>
      readWhere(this.collection, sent, this.targetOf, problems),
    );
    const where = [...filters, ...more];
    const excess = excessIn(where);
    // `where` alone is checked already.
    if (excess !== undefined && filters.length > 0)
      this.#mistake('filters', `have ${excess.found} ${excess.what}: at most ${excess.most} together`);
    return where;
  }

  #having(measures: readonly Measure[], json: string | undefined): Where {
    const of = filterable(columnsOf({ groups: [], measures }, fieldsOf(this.collection)));
    const find = (key: string) => {
      const field = of.columns.get(key)?.field;
      const known = [...of.columns.keys()].join(', ');
      return field === undefined ? { refused: `is no measure of this summary: it has ${known}` } : { of, key, field };
    };
    return this.#json('having', json, (sent, problems) => readWhereOf(find, sent, problems));
  }

  #json(parameter: Name, text: string | undefined, read: (sent: ParsedText, problems: Problem[]) => Where): Where {
    if (text === undefined) return [];
    let sent: ParsedText;
    try {
      sent = parseJson(text);
    } catch {
      this.#mistake(parameter, `must be JSON, percent-encoded; got ${shortened(text)}`);
      return [];
    }
    const problems: Problem[] = [];
    const where = read(sent, problems);
    this.problems.push(...problems.map((one) => ({ ...one, parameter })));
    return where;
  }

  #sort(known: readonly { readonly name: string }[], text: string | undefined): readonly Order[] {
    return (text?.split(',') ?? []).flatMap((entry) =>
      this.#one('sort', entry.replace(/^-/, ''), known).map(({ name }) => ({
        field: name,
        descending: entry.startsWith('-'),
      })),
    );
  }

  #limit(text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const limit = /^\d+$/.test(text) ? exactInteger(text) : undefined;
    if (typeof limit === 'bigint' && limit >= 1n && limit <= BigInt(maxRows)) return Number(limit);
    this.#mistake('limit', `must be a whole number from 1 to ${maxRows}; got ${shortened(text)}`);
    return undefined;
  }
}

/** `count, price, price.sum|avg`. */
function listed(all: readonly string[]): string {
  const names = [...new Set(all)];
  const [plain, dotted] = [names.filter((name) => !name.includes('.')), names.filter((name) => name.includes('.'))];
  const byField = Map.groupBy(dotted, (name) => name.slice(0, name.indexOf('.')));
  const endings = [...byField].map(
    ([field, some]) => `${field}.${some.map((name) => name.slice(field.length + 1)).join('|')}`,
  );
  return [...plain, ...endings].join(', ');
}
