import { expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { collectionRules } from './role-rules.ts';

test("the contract's id is visible and may be sent, whatever fields a rule lists", () => {
  const { seen, create } = collectionRules(
    items,
    { read: { fields: ['name'] }, create: { fields: ['price'] } },
    () => true,
  );
  expect([...seen.columns.keys()]).toEqual(['id', 'external_id', 'name', 'version', 'created_at', 'updated_at']);
  expect(Object.keys(create?.sendable.record.writable ?? {})).toEqual(['external_id', 'price']);
});
