/** The measures of a group, from the tallies of its fields. */
import { withPoint } from '../../exact/integer.ts';
import type { Field, FieldValue } from '../types/type.ts';
import { beyondDoubles } from './bounds.ts';
import { averagePlaces, type FieldOf } from './columns.ts';
import { nearestDouble, quotient } from './rounding.ts';
import { type FieldMeasure, type Group, isOfField, type Summary, type Tally, talliesOf } from './summary.ts';

/** The values of a row, in the order of the columns. It throws `invalid_query` for a sum that is no double. */
export function measuring(
  { groups, measures }: Pick<Summary, 'groups' | 'measures'>,
  fieldOf: FieldOf,
): (group: Group) => FieldValue[] {
  const keys = talliesOf({ measures }).map(({ key }) => key);
  const readers = measures.map((measure): ((group: Group) => FieldValue) => {
    if (!isOfField(measure)) return ({ count }) => BigInt(count);
    const at = keys.indexOf(measure.key);
    const read = ofTally(measure, fieldOf(measure.key));
    return ({ tallies }) => {
      const tally = tallies[at];
      return tally === undefined ? null : positiveZero(read(tally));
    };
  });
  return (group) => [
    ...groups.map((_, at) => positiveZero(group.values[at] ?? null)),
    ...readers.map((read) => read(group)),
  ];
}

/** Both zeros of doubles are one value. */
function positiveZero(value: FieldValue): FieldValue {
  return value === 0 ? 0 : value;
}

function ofTally({ name, operation }: FieldMeasure, { precision = 0, schema }: Field): (tally: Tally) => FieldValue {
  switch (operation) {
    case 'min':
      return ({ min }) => min;
    case 'max':
      return ({ max }) => max;
    case 'distinct':
      return ({ distinct }) => BigInt(distinct);
    case 'sum':
      return ({ count, sum }) => {
        if (count === 0) return null;
        if (precision === 'binary') return finite(name, nearestDouble(sum));
        return schema.type === 'string' ? withPoint(sum, precision) : sum;
      };
    case 'avg':
      return ({ count, sum }) => {
        if (count === 0) return null;
        if (precision === 'binary') return nearestDouble(sum, BigInt(count));
        return withPoint(quotient(sum * 10n ** BigInt(averagePlaces), BigInt(count)), precision + averagePlaces);
      };
  }
}

function finite(name: string, sum: number): number {
  if (Number.isFinite(sum)) return sum;
  throw beyondDoubles(name);
}
