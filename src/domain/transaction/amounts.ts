/** The numbers that an operation adds to fields. */
import { objectOf } from '../../exact/json-text.ts';
import { namesIn } from '../input/names-in.ts';
import { similar } from '../input/suggest.ts';
import type { Collection } from '../record/collection.ts';
import { compileField } from '../types/all-types.ts';
import type { Field } from '../types/type.ts';
import type { SentOperation } from './sent-operation.ts';

/** An amount has the digits of its field, and may be negative where the field may not. */
const amountFields = new WeakMap<Field, Field>();

function amountField(field: Field): Field {
  const known = amountFields.get(field);
  if (known !== undefined) return known;
  const { type, scale } = field.declared;
  const amount = compileField(scale === undefined ? { type } : { type, scale });
  amountFields.set(field, amount);
  return amount;
}

/** The amounts in `record`, encoded in the order of the fields: every engine reports the same sum out of several that are out of bounds. */
export function readAmounts(sent: SentOperation, { fields, columns, contract }: Collection): string | undefined {
  const json = sent.object('record');
  if (json === undefined) return undefined;
  const values = json.value as Readonly<Record<string, unknown>>;
  // A sum tells what the field had: a caller that may send a field, and not read it, does not add to it.
  const isSummable = (key: string) =>
    fields[key]?.add !== undefined && columns.has(key) && !(contract !== undefined && key === 'id');
  const given = namesIn(values, isSummable);
  if (given.length === 0) return sent.mistake(['record'], 'must have at least one field');
  const amounts: [string, string][] = [];
  for (const key of given) {
    const field = isSummable(key) ? fields[key] : undefined;
    if (field === undefined) {
      const summable = Object.keys(fields).filter(isSummable);
      const hint = similar(key, summable) ?? `; fields with sums: ${summable.join(', ') || 'none'}`;
      sent.mistake(['record', key], `is no field that can be added to${hint}`);
      continue;
    }
    const amount = amountField(field).read(values[key], json.literal(key));
    if (typeof amount === 'object') sent.mistake(['record', key], amount.refused);
    else amounts.push([key, field.encode(amount)]);
  }
  if (amounts.length === 1) return objectOf(amounts);
  const order = Object.keys(fields);
  return objectOf(amounts.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other)));
}
