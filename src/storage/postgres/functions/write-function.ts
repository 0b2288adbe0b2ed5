/** The functions in PostgreSQL that apply a whole batch of writes. */
import type { UnservedReference } from '../../../declarations/plan.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { literal } from '../../../domain/sql-text.ts';
import { changesChannel, writeLock } from '../connect/locks.ts';
import { heldOf, newestChange } from '../statements/changes.ts';
import { moment, now } from '../statements/expressions.ts';
import { namedByBody, type SqlFunction } from './functions.ts';
import { keyedFunction } from './keyed-function.ts';
import { conditionFunction, matchingFunction } from './matching-functions.ts';
import { noteFunction } from './noted-changes.ts';
import { type RecordFunction, recordFunction } from './record-function.ts';
import { planFunction } from './removal-function.ts';
import { transactionFunction } from './transaction-function.ts';

/** `all` are the functions that `name` needs, and itself, in the order in which they can be created. */
export type WriteFunction = { readonly name: string; readonly all: readonly SqlFunction[] };

/**
 * A batch is `{"shown": [change, ...], "runs": [...]}`; record-function.ts, keyed-function.ts and transaction-function.ts describe the runs.
 *
 * The result is `{"at": moment, "last": change, "epoch": number or null, "outcomes": [...]}` as text, with one outcome per
 * write, in order.
 *
 * `shown` lists changes that clients of the instance have seen. A primary that lacks one has lost a part of the history, for
 * example after a failover to a standby that lagged: a new epoch begins, so that no number is assigned twice.
 *
 * The lock is taken first and released with the transaction, so numbers are assigned in the order in which they become
 * visible, on every instance. Each statement after it sees everything that was committed before the lock was acquired.
 */
export function writeFunction(
  collections: readonly Collection[],
  unserved: readonly UnservedReference[] = [],
): WriteFunction {
  const records = collections.map((collection) => ({
    collection,
    ...recordFunction(collection, dependentsOf(collection, collections, unserved)),
  }));
  const functions = Object.fromEntries(records.map(({ collection, name }) => [collection.name, name]));
  const dependents = Object.fromEntries(
    collections.map((collection) => [collection.name, dependentsOf(collection, collections, unserved)]),
  );
  const schema = literal(JSON.stringify({ functions, dependents }));
  /** The outcomes and the changes are in _done. */
  const apply = (run: string, all: readonly NamedFunction[] = records) => `
      case ${run === '_run' ? "_run->>'to'" : '_to'} ${all
        .map(
          ({ collection, name, isAware }) =>
            `when ${literal(collection.name)} then _done := ${name}(${run}, _moment, _least${isAware ? ', _schema' : ''});`,
        )
        .join(' ')}
      when '' then null; end case;`;
  const keyed = records
    .filter(({ collection }) => collection.unique.length > 0)
    .map((one) => ({ collection: one.collection, ...keyedFunction(one.collection, one) }));
  const transaction = transactionFunction(apply('_one'));
  const body = `
declare
  _all json := _batch::json;
  _schema text := ${schema};
  _lacking int;
  _common bigint;
  _shown bigint;
  _epoch bigint;
  _outcomes text := '';
  _run json;
  _moment timestamptz(3);
  _least bigint;
  _done record;
begin
  perform pg_advisory_xact_lock(${writeLock});
  select lacking, common, latest into _lacking, _common, _shown from (${heldOf("_all->'shown'")}) as _held;
  if _lacking > 0 then
    _epoch := shelf_new_epoch(_shown, _common);
  end if;
  _moment := ${now};
  _least := coalesce((select (value::json->-1->>1)::bigint + 1 from settings where name = 'gaps'), 1);
  for _run in select value from json_array_elements(_all->'runs') loop
    if _run->>'to' = '' then
      _outcomes := _outcomes || ${transaction.name}(_run, _moment, _least, _schema);
      continue;
    elsif _run->'upsert' is null then${apply('_run')}
    else${apply('_run', keyed)}
    end if;
    _outcomes := _outcomes || _done._outcomes;
    if cardinality(_done._noted) > 0 then
      perform ${noteFunction.name}(_done._noted, false);
    end if;
  end loop;
  -- Told to the others when the transaction has ended, and once however often it is said in it.
  perform pg_notify(${literal(changesChannel)}, '');
  return '{"at":"' || ${moment('_moment')} || '","last":' || coalesce((${newestChange})::text, 'null')
    || ',"epoch":' || coalesce(_epoch::text, 'null') || ',"outcomes":[' || substr(_outcomes, 2) || ']}';
end`;
  const main = namedByBody('shelf_write', '_batch text', body);
  return {
    name: main.name,
    all: [planFunction, conditionFunction, matchingFunction, noteFunction, ...records, ...keyed, transaction, main].map(
      ({ name, statement }) => ({ name, statement }),
    ),
  };
}

type NamedFunction = RecordFunction & { readonly collection: Collection };

/** A field of a collection that refers to another one. */
export type Dependent = { readonly collection: string; readonly field: string; readonly onDelete: string };

function dependentsOf(
  { name }: Collection,
  collections: readonly Collection[],
  unserved: readonly UnservedReference[],
): readonly Dependent[] {
  const served = collections.flatMap((collection) =>
    collection.references
      .filter(({ to }) => to === name)
      .map(({ field, onDelete }) => ({ collection: collection.name, field, onDelete })),
  );
  const others = unserved.filter(({ to }) => to === name);
  return [...served, ...others.map(({ collection, field }) => ({ collection, field, onDelete: 'restrict' }))];
}
