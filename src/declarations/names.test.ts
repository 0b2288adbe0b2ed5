import { expect, test } from 'bun:test';
import { collectionNameMistake } from './names.ts';

test.each(['changes', 'settings', 'api_keys', 'idempotency_keys', 'schema_version', 'event_tickets'])(
  'no collection can be called %s, as a table of Shelf is',
  (name) => {
    expect(collectionNameMistake(name)).toBe(`"${name}" is reserved: choose another name`);
    expect(collectionNameMistake(`my_${name}`)).toBeUndefined();
  },
);
