/** Deletes a record with what depends on it, in the function of its collection. */
import { literal } from '../../../domain/sql-text.ts';
import type { Shape } from '../statements/table-sql.ts';
import { collectDone } from './noted-changes.ts';
import { planFunction } from './removal-function.ts';

/** Consecutive records of one collection are deleted together. */
const runsOfGone = `
              select json_build_array(_name, json_agg(_gone order by _number)) from (
                select value->>0 as _name, value->1 as _gone, ordinality as _number,
                  ordinality - row_number() over (partition by value->>0 order by ordinality) as _together
                from json_array_elements(_plan->'gone') with ordinality
              ) as _each group by _name, _together order by min(_number)`;

/** PostgreSQL has no error of its own with this code. */
const clears = 'SH002';

/** By the function of each collection. The record is _seq. */
export function cascade({ name }: Shape): string {
  const call = (run: string) => `
              execute format('select * from %I($1, $2, $3%s)', _all->'functions'->>(_one->>0),
                case when jsonb_array_length(_all->'dependents'->(_one->>0)) > 0 then ', $4' else '' end)
                into _done using ${run}, _moment, _least, _schema;`;
  return `
          _plan := ${planFunction.name}(_schema::json->'dependents', ${literal(name)}, _seq, _run->'permitted')::json;
          if _plan->'clash' is not null then
            _outcomes := _outcomes || ',{"clashes":[' || (_plan->'clash')::text || ']}';
            return;
          end if;
          _all := _schema::jsonb;
          if json_array_length(_plan->'cleared') > 0 then
            -- A savepoint: what was cleared is taken back if another record is in the way.
            begin
              for _one in select value from json_array_elements(_plan->'cleared') loop${call(
                "json_build_object('seq', _one->1, 'update', json_build_object(_one->>2, null), 'by', _by, 'trace', _trace)",
              )}
                if left(_done._outcomes, 11) = ',{"clashes"' then
                  raise sqlstate '${clears}';
                end if;${collectDone}
              end loop;
            exception when sqlstate '${clears}' then
              _noted := '{}';
              _outcomes := _outcomes || ',' || json_build_object('clashes', json_build_array(json_build_object('clears', _one->0,
                'record', _one->1, 'field', _one->2, 'because', substr(_done._outcomes, 2)::json->'clashes'->0)))::text;
              return;
            end;
          end if;
          for _one in ${runsOfGone} loop${call("json_build_object('discard_all', _one->1, 'by', _by, 'trace', _trace)")}${collectDone}
          end loop;
          _outcomes := _outcomes || ',"done"';`;
}
