/** What other systems call the field types, for suggestions. */
export const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    text: ['string', 'str', 'varchar', 'char', 'uuid', 'email', 'url'],
    integer: ['int', 'bigint', 'int64', 'long', 'serial'],
    number: ['float', 'double', 'real'],
    decimal: ['numeric', 'money', 'currency'],
    boolean: ['bool', 'bit'],
    date: ['day'],
    timestamp: ['datetime', 'date-time', 'time', 'timestamptz', 'instant'],
    choice: ['enum', 'select', 'option'],
    list: ['array', 'set'],
    json: ['jsonb', 'object', 'map', 'any'],
    reference: ['ref', 'relation', 'link', 'foreign', 'foreign_key', 'belongs_to'],
  }).flatMap(([type, others]) => others.map((other) => [other, type] as const)),
);
