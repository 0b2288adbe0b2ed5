/** The query parameters of both feeds. */
import Type from 'typebox';
import { everything, seenIn, type View } from '../../domain/access/view.ts';
import { Failure } from '../../domain/errors.ts';
import { everyChange, type Selection, selectionOf } from '../../domain/feed/selection.ts';
import {
  invalidParameter as invalid,
  parametersOf,
  repeatedParameter,
  unknownParameter,
} from '../../domain/input/parameters.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { TargetOf } from '../../domain/where/field-path.ts';
import { readConditions } from '../../domain/where/read-parameter.ts';
import { exactInteger } from '../../exact/integer.ts';
import type { Parameter } from '../route/operation.ts';
import type { Call } from '../route/route.ts';
import { int64, oneOf } from '../route/schemas.ts';
import { viewFor } from '../route/sight.ts';

type Asking = Pick<Call, 'search' | 'caller' | 'access'>;

export const limits = { max: 1000, default: 100 };

export type FeedQuery = {
  readonly after: number | undefined;
  readonly limit: number;
  readonly selection: Selection;
};

export function feedQueries(collections: readonly Collection[]) {
  return {
    after: {
      name: 'after',
      description: 'Changes after this one; 0 for all that are retained.',
      schema: int64({ minimum: 0 }),
    },
    collection: {
      name: 'collection',
      description: 'Only changes of this collection.',
      schema: oneOf(collections.map(({ name }) => name)),
    },
    where: {
      name: 'where',
      description:
        'Conditions as JSON, percent-encoded, as in a list of the collection that is named: only changes of records that match before or after them, each with `match`. The filters of lists, such as `price[gte]=5`, can be used beside it or instead. A path is refused.',
      schema: Type.Unsafe({ type: 'string', contentMediaType: 'application/json', examples: ['{"id":7}'] }),
    },
  } satisfies Readonly<Record<string, Parameter>>;
}

/** `names` are those of parameters that are no filters. Throws `invalid_query`. */
export function readFeedQuery(all: readonly Collection[], call: Asking, names: readonly string[]): FeedQuery {
  const { search, access } = call;
  const collections = access === undefined ? all : all.filter((one) => access.viewOf(one) !== undefined);
  const given = new Map<string, string>();
  const filters: (readonly [string, string])[] = [];
  for (const parameter of parametersOf(search)) {
    const [name, value] = parameter;
    if (!names.includes(name)) filters.push(parameter);
    else if (given.has(name)) throw repeatedParameter(name);
    else given.set(name, value);
  }
  const whole = (name: string) => {
    const text = given.get(name);
    if (text === undefined) return undefined;
    const number = changeNumber(text);
    if (number === undefined) throw invalid(name, 'a whole number', text);
    return number;
  };
  const limit = whole('limit') ?? limits.default;
  if (limit < 1) throw invalid('limit', `a whole number from 1 to ${limits.max}`, String(limit));
  const collection = collectionOf(collections, given.get('collection'));
  return {
    after: whole('after'),
    limit: Math.min(limit, limits.max),
    selection: readSelection(collection && viewFor(call, everything(collection)), filters, given.get('where'), names),
  };
}

function collectionOf(collections: readonly Collection[], name: string | undefined): Collection | undefined {
  const found = collections.find((one) => one.name === name);
  if (name !== undefined && found === undefined)
    throw invalid('collection', `one of ${collections.map((one) => one.name).join(', ')}`, name);
  return found;
}

function readSelection(
  view: View | undefined,
  filters: readonly (readonly [name: string, value: string])[],
  where: string | undefined,
  names: readonly string[],
): Selection {
  if (view !== undefined) {
    const { noFeed } = view.sight ?? {};
    if (noFeed !== undefined) throw new Failure('forbidden', { detail: noFeed });
    return filters.length === 0 && where === undefined
      ? selectionOf(view)
      : selectionOf(view, readConditions(seenIn(view), filters, where, noPaths, names));
  }
  const [filter] = filters;
  if (filter !== undefined) throw unknownParameter(filter[0], names);
  if (where === undefined) return everyChange;
  throw new Failure('invalid_query', {
    detail: 'The query parameter where is about the records of one collection: add collection=.',
  });
}

const noPaths: TargetOf = () => ({
  refused: 'leads to another record, which may change alone: the feed takes only fields of the record itself',
});

/**
 * Undefined if the text is not a 64-bit number. A number that a double cannot hold is capped: it is ahead of every history
 * either way.
 */
export function changeNumber(text: string): number | undefined {
  if (!/^\d+$/.test(text) || typeof exactInteger(text) !== 'bigint') return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** Throws `forbidden` if the caller is limited to some collections and does not name one of them. */
export function requireCollection({ caller: { collections }, access }: Asking, { of }: Selection): void {
  if (access !== undefined) {
    if (of !== undefined) return;
    throw new Failure('forbidden', {
      detail: `The role ${access.role} follows one collection at a time: add collection= with its name.`,
    });
  }
  if (collections === undefined || (of !== undefined && collections.includes(of.name))) return;
  throw new Failure('forbidden', {
    detail: `This key is limited to some collections: add collection= with one of ${collections.join(', ')}.`,
  });
}
