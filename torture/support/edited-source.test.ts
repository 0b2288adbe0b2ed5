/** The faults that tortures plant fit the source: each line to be replaced is there, once. */
import { expect, test } from 'bun:test';
import { bankFaults } from '../bank/faults.ts';
import { followerFaults } from '../followers/faults.ts';
import { plantedFaults } from '../history/servers/faulty-server.ts';
import { faults as memoryFaults } from '../race/faults.ts';
import { editedSource } from './edited-source.ts';

test.each(Object.entries({ ...plantedFaults, ...bankFaults }))('of the history and the bank: %s', (_, fault) => {
  expect(Object.keys(editedSource('src/storage/sqlite/writer', fault))).toHaveLength(Object.keys(fault).length);
});

test.each(Object.entries(memoryFaults))('of shared memory: %s', (_, fault) => {
  expect(Object.keys(editedSource('src/storage/sqlite/memory', fault))).toHaveLength(Object.keys(fault).length);
});

test.each(Object.entries(followerFaults))('of the filtered feed: %s', (_, fault) => {
  expect(Object.keys(editedSource('src/domain/feed', fault))).toHaveLength(Object.keys(fault).length);
});
