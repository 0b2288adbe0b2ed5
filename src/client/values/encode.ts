/** Values as JSON text: a bigint with all its digits, -0 as -0. What JSON cannot hold is refused, not changed. */
import { spelled } from '../../exact/numeral.ts';
import { invalidArgument } from '../send/failure.ts';
import { Digits } from './digits.ts';

/** `path` names the value in a failure. Throws `invalid_argument`. */
export function encode(value: unknown, path: string): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw invalidArgument(`${path} is ${value}, which JSON does not have.`);
      return spelled(value);
    case 'object':
      return value === null ? 'null' : encodeObject(value, path);
    default:
      throw invalidArgument(`${path} is ${typeof value}, which JSON does not have.`);
  }
}

function encodeObject(value: object, path: string): string {
  if (value instanceof Digits) return value.digits;
  if (Array.isArray(value)) return `[${value.map((one, index) => encode(one, `${path}[${index}]`)).join()}]`;
  // As JSON.stringify does: without it a Date would be {}.
  if ('toJSON' in value && typeof value.toJSON === 'function') return encode(value.toJSON(), path);
  let text = '';
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${encode(member, `${path}.${key}`)}`;
  }
  return `{${text}}`;
}
