/** The function in PostgreSQL that stores the records of a bulk with a key in one collection. */
import type { Collection } from '../../../domain/record/collection.ts';
import type { UniqueRule } from '../../../domain/record/unique-rules.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { keyCondition } from '../statements/key-condition.ts';
import { namedByBody } from './functions.ts';
import { lookUp, mayBeTogether, storeTogether } from './keyed-together.ts';
import { collectDone, collectorVariables, writeParameters } from './noted-changes.ts';
import type { RecordFunction } from './record-function.ts';
import { stampRun } from './stamp.ts';

/**
 * A run is `{"to": collection, "upsert": [record, ...], "rule": the place of the rule}`, and may have `by` and `trace`. A record is `{"update": fields}` with the fields of
 * the rule, and has `create`, the whole record if that is another one, or `lacking`, the required fields that it does not have; and `words`, as for the function of records.
 * Each record sees those before it. `records` is the function that writes them.
 *
 * The result is one outcome per record, each after a comma: the number of a new record, `"updated"`, or `{"clashes": [...]}`. With it are
 * the changes that the caller has to store.
 */
export function keyedFunction(collection: Collection, records: RecordFunction): RecordFunction {
  const { isAware } = records;
  const write = identifier(records.name);
  const call = (run: string) => `_done := ${write}(${run}, _moment, _least${isAware ? ', _schema' : ''});${collectDone}
      _outcome := _done._outcomes;`;
  const body = `
#variable_conflict use_column
declare
  _outcome text;
  _one json;
  _given json;
  _seq bigint;
  -- Parsing the run again for each record would take as long as all records.
  _by text := _run->>'by';
  _trace text := _run->>'trace';
  _rule int := (_run->>'rule')::int;
  _seqs bigint[];
  _is_together boolean;
  _are_right boolean;
  _key json := case _rule ${byRule(collection, ({ fields }) => literal(JSON.stringify(fields)))} end;${collectorVariables}
begin${stampRun(collection)}
  _outcomes := '';
  _noted := '{}';${mayBeTogether(collection) ? together(collection) : ''}
  for _one in select value from json_array_elements(_run->'upsert') loop
    _given := _one->'update';
    _seq := case _rule ${byRule(collection, (rule) => found(collection, rule))} end;
    if _seq is not null then
      ${call("json_build_object('seq', _seq, 'update', _given, 'words', _one->'words', 'by', _by, 'trace', _trace)")}
      if left(_outcome, 12) <> ',{"clashes":' then
        _outcome := ',"updated"';
      end if;
    elsif _one->'lacking' is not null then
      _outcome := ',{"clashes":' || (
        select json_agg(json_build_object('lacking', value, 'key', _key)) from json_array_elements_text(_one->'lacking')
      )::text || '}';
    else
      ${call("json_build_object('create', coalesce(_one->'create', _given), 'words', _one->'words', 'by', _by, 'trace', _trace)")}
    end if;
    _outcomes := _outcomes || _outcome;
  end loop;
end`;
  // A part has few records beside a large table, which PostgreSQL would read as a whole.
  return { ...namedByBody('shelf_keyed', writeParameters(isAware), body, 'set enable_seqscan = off'), isAware };
}

/** The loop says which records clash, and with which. */
function together(collection: Collection): string {
  const lookUps = collection.unique.map((rule, place) => `when ${place} then${lookUp(collection, rule)}`);
  return `
  case _rule ${lookUps.join('\n    ')}
  end case;
  if _is_together then
    begin${storeTogether(collection)}
      return;
    exception when unique_violation or check_violation then
      _outcomes := '';
    end;
  end if;`;
}

function byRule({ unique }: Collection, text: (rule: UniqueRule) => string): string {
  return unique.map((rule, place) => `when ${place} then ${text(rule)}`).join(' ');
}

/** With the file from before a removal of the rule several records can have the key. */
function found(collection: Collection, rule: UniqueRule): string {
  return `(select seq from ${identifier(collection.name)} where ${keyCondition(collection, rule, '_given')} limit 1)`;
}
