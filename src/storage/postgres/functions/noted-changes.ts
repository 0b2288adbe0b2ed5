/** Changes in the functions that write: they are collected as rows of `changes`, and stored together at the end of a run. */
import { literal } from '../../../domain/sql-text.ts';
import type { Shape } from '../statements/table-sql.ts';
import { namedByBody } from './functions.ts';

const columns = 'collection, type, record_seq, version, created_at, at, made_by, trace_id, record, updated_at, before';

/** Parameters of a function that writes records: those for what it is told, and for its outcomes and changes. */
export const writeParameters = (isAware: boolean) =>
  `_run json, _moment timestamptz(3), _least bigint${isAware ? ', _schema text' : ''}, out _outcomes text, out _noted changes[]`;

/** Of a function that calls one that notes changes. */
export const collectorVariables = `
  _done record;
  _change changes;
  _size int := 0;`;

const collect = `
          _size := _size + 1;
          _noted[_size] := _change;`;

/**
 * Adds a change of the record _seq to _noted; `values` assigns what depends on its kind. Another release may have added columns, so none is
 * named by its place.
 */
export function note({ name }: Shape, type: 'created' | 'updated' | 'deleted', values: string): string {
  return `
          _change.collection := ${literal(name)};
          _change.type := ${literal(type)};
          _change.record_seq := _seq;
          _change.at := _moment;
          _change.made_by := _by;${values}${collect}`;
}

/** Adds the changes of the function that was called to _noted. The last one is in _change then. */
export const collectDone = `
        foreach _change in array _done._noted loop${collect}
        end loop;`;

/**
 * Stores changes in their order, and returns the numbers of the first and the last; `_are_together` are those of one transaction. All other
 * writes wait, so the numbers have no gap.
 */
export const noteFunction = namedByBody(
  'shelf_note',
  '_noted changes[], _are_together boolean, out _first bigint, out _last bigint',
  `
begin
  with _stored as (insert into changes (${columns}) select ${columns} from unnest(_noted) returning seq)
    select min(seq), max(seq) into _first, _last from _stored;
  if _are_together and _last > _first then
    update changes set transaction_first = _first, transaction_size = _last - _first + 1 where seq between _first and _last;
  end if;
end`,
  '',
);
