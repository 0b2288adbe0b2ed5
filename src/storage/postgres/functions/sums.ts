/** Amounts that are added to the fields of a record, in the function of its collection. */
import { identifier, literal } from '../../../domain/sql-text.ts';
import type { Shape } from '../statements/table-sql.ts';

function summed({ fields }: Shape) {
  return Object.entries(fields).filter(([, { postgres }]) => postgres.sum !== undefined);
}

export function hasSums(collection: Shape): boolean {
  return summed(collection).length > 0;
}

/** Without an update, the sums become one in _given; outcome `outOfBounds` with the first sum that is no value of its field. */
export function givenSums(collection: Shape): string {
  const sums = summed(collection).map(
    ([key, { postgres }]) => `
            _amount := _given->>${literal(key)};
            if _amount is not null then
              _sum := (${postgres.sum?.(`_old.${identifier(key)}`, '_amount')})::text;
              if not ${postgres.isInBounds?.('_sum')} then
                _outcomes := ',' || json_build_object('outOfBounds', ${literal(key)}, 'sum', _sum)::text;
                return;
              end if;
              _sums := _sums || ${literal(`,${JSON.stringify(key)}:`)} || _sum;
            end if;`,
  );
  return `
          if _given is null then
            _given := _run->'sum';${sums.join('')}
            _given := ('{' || substr(_sums, 2) || '}')::json;
          end if;`;
}
