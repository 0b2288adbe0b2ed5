/** The values of a record that is written, for conditions in memory. */
import type { Fields, Row } from '../../../domain/record/row.ts';
import type { Binding, Sent } from './bindings.ts';

/** `at` is the place of the field among all. */
export type BindingOf = (at: number, key: string) => Binding;

/** The record after the write. `stored` is the one that is changed; absent for a new one. */
export function afterwards(sent: Sent, stored: Readonly<Record<string, Binding>> | undefined): BindingOf {
  return (at, key) => {
    const value = sent[at];
    return value === undefined ? (stored?.[key] ?? null) : value;
  };
}

/** Only these fields. */
export function recordValues(fields: Fields, wanted: Iterable<string>): (bindingOf: BindingOf) => Row {
  const keys = Object.keys(fields);
  const places = [...wanted].map((key) => ({ key, at: keys.indexOf(key), field: fields[key] }));
  return (bindingOf) =>
    Object.fromEntries(
      places.map(({ key, at, field }) => {
        const value = bindingOf(at, key);
        return [key, value === null || field === undefined ? null : field.sqlite.unbind(value)];
      }),
    );
}
