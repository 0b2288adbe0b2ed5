/** Values of a field under another declaration. */
import { compileField, types } from '../domain/types/all-types.ts';
import { elementOf, elementsIn } from '../domain/types/list.ts';
import type { Field, Refusal, SetValue } from '../domain/types/type.ts';
import { typeOf } from './field-steps.ts';

/**
 * The same value for another declaration: as JSON if that accepts it, or else by its text. Exact, or refused with what follows
 * the name of the field.
 */
export function converted(from: Field, to: Field, value: SetValue): SetValue | Refusal {
  if (hasElements(from) && hasElements(to)) return convertedList(from, to, String(value));
  const made = read(from, to, value);
  if (typeof made === 'object' || typeOf(from.declared) === typeOf(to.declared)) return made;
  // Exact means that a way back leads to the same value.
  if (spellings(made).some((one) => Object.is(read(to, from, one), value))) return made;
  return { refused: `(${from.encode(value)}) cannot be kept exactly` };
}

/** A decimal number has the same value with fewer zeros at its end. */
function spellings(value: SetValue): SetValue[] {
  const all = [value];
  if (typeof value !== 'string' || !/^-?\d{1,19}\.\d{1,9}$/.test(value)) return all;
  for (let end = value.length; value[end - 1] === '0'; end--) all.push(value.slice(0, end - 1).replace(/\.$/, ''));
  return all;
}

const hasElements = ({ declared }: Field) => types[declared.type]?.hasElements === true;

function convertedList(from: Field, to: Field, list: string): SetValue | Refusal {
  const [one, other] = [compileField(elementOf(from.declared)), compileField(elementOf(to.declared))];
  const elements: string[] = [];
  for (const [index, { value, exact }] of (elementsIn(list) ?? []).entries()) {
    const made = converted(one, other, one.revive(value, exact));
    if (typeof made === 'object') return { refused: `element ${index} ${made.refused}` };
    elements.push(other.encode(made));
  }
  return to.read(undefined, `[${elements.join(',')}]`);
}

function read(from: Field, to: Field, value: SetValue): SetValue | Refusal {
  const json = from.encode(value);
  const asJson = readJson(to, json);
  if (typeof asJson !== 'object' || hasElements(to)) return asJson;
  const text = typeof value === 'string' ? value : json;
  // A number has the same value without zeros at its end.
  const texts = /^-?\d+\.\d+$/.test(text) ? [text, text.replace(/\.?0+$/, '')] : [text];
  const parsed = texts.map((one) => to.filter.parse(one)).find((one) => one !== undefined);
  // By its text, the value has not been compared with the bounds.
  return parsed === undefined ? asJson : readJson(to, to.encode(parsed));
}

function readJson(field: Field, json: string): SetValue | Refusal {
  const value: unknown = JSON.parse(json);
  if (value === null) return { refused: 'cannot be null' };
  const digits = typeof value === 'number' ? json : undefined;
  return field.read(value, field.takesText ? json : digits);
}
