/** Encodes the values of each kind, and rows, as JSON. */

export type Kind = 'text' | 'number' | 'integer';
export type FieldValue = string | number | bigint;
export type Kinds = Readonly<Record<string, { readonly kind: Kind }>>;

const encodeValue: Readonly<Record<Kind, (value: FieldValue) => string>> = {
  text: (value) => JSON.stringify(value),
  // JSON has -0, but JSON.stringify writes 0.
  number: (value) => (Object.is(value, -0) ? '-0' : String(value)),
  integer: (value) => String(value),
};

type Values = Readonly<Record<string, FieldValue>>;

/** Encodes rows with their fields in the declared order. */
export function encoder(fields: Kinds): (row: Values) => string {
  const named = Object.entries(fields).map(([key, { kind }], index) => ({
    key,
    encode: encodeValue[kind],
    lead: `${index === 0 ? '{' : ','}"${key}":`,
  }));
  return (row) => {
    let text = '';
    for (const { key, encode, lead } of named) {
      const value = row[key];
      if (value === undefined) throw new Error(`Cannot encode a row: it has no ${key}`);
      text += lead + encode(value);
    }
    return `${text}}`;
  };
}

/** Encodes the fields that have a value, in the declared order. */
export function partialEncoder(fields: Kinds): (row: Partial<Values>) => string {
  const named = Object.entries(fields).map(([key, { kind }]) => ({ key, encode: encodeValue[kind] }));
  return (row) => {
    const parts: string[] = [];
    for (const { key, encode } of named) {
      const value = row[key];
      if (value !== undefined) parts.push(`"${key}":${encode(value)}`);
    }
    return `{${parts.join()}}`;
  };
}
