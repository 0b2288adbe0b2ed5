import { expect, test } from 'bun:test';
import { collections } from '../../collections/registry.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { encodeChange } from './encode-change.ts';

const [collection] = collections as [Collection];
const at = '2026-01-02T03:04:05.678Z';
const record = { recordId: 1, version: 1, createdAt: at, updatedAt: at, json: '{"id":1,"name":"a","price":1}' };
const change = { changeNumber: 7, type: 'created', at, by: 'shop', collection, singular: 'item', record } as const;
const traceId = 'a'.repeat(32);

test('a change of a traced request has its trace', () => {
  expect(JSON.parse(encodeChange({ ...change, traceId }))).toMatchObject({ by: 'shop', trace_id: traceId });
  expect(encodeChange(change)).not.toContain('trace');
});

test('a caller with a role sees neither who made a change nor its trace', () => {
  const sight = { seen: collection, where: [], isWhole: true, key: '', noFeed: undefined };
  const part = { type: 'created', sight } as const;
  const shown = JSON.parse(encodeChange({ ...change, traceId }, { part }));
  expect(shown).toMatchObject({ seq: 7, by: null });
  expect(shown).not.toHaveProperty('trace_id');
});
