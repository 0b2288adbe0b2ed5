/** A change of the file whose commit is not answered. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { items } from '../../collections/items.ts';
import type { OpenedStore } from '../../storage/open.ts';
import { type LiveOptions, LiveSettings } from './live-settings.ts';
import { tagOf } from './settings-file.ts';
import { type Change, Takeover, type TakeoverParts } from './takeover.ts';

const former = '{}\n';
const text = '{ }\n';
const path = join(temporaryFolder(), 'shelf.json');

/** The connection is lost between the commit and its answer, once. */
class Unanswered extends Takeover {
  exchanges = 0;

  constructor(readonly committed: string) {
    super({ collections: [items], rules: undefined }, {} as TakeoverParts);
  }

  override get store(): OpenedStore {
    const succession: Partial<OpenedStore['succession']> = {
      plan: async () => ({ changes: [], unserved: [], violations: [] }),
      fileTag: async () => tagOf(this.committed),
    };
    return { succession } as OpenedStore;
  }

  override async exchange(_: unknown, { beforeCommit }: Change): Promise<void> {
    this.exchanges++;
    beforeCommit();
    if (this.exchanges === 1) throw new Error('the connection was lost');
  }
}

function changeOn(takeover: Takeover) {
  writeFileSync(path, former);
  const live = new LiveSettings({
    config: { access: { auth: 'off' } } as LiveOptions['config'],
    file: { path, text: former, settings: new Map() },
    closed: undefined,
    takeover: () => takeover,
    backUp: undefined,
    log: () => {},
  });
  return live.change({ text, allow: [] }, undefined, '');
}

const onDisk = () => [readFileSync(path, 'utf8'), ...readdirSync(dirname(path))];

test('the new file stays and is served if the database has it', async () => {
  const takeover = new Unanswered(text);
  expect(await changeOn(takeover)).toMatchObject({ text, isServed: true });
  expect(takeover.exchanges).toBe(2);
  expect(onDisk()).toEqual([text, 'shelf.json']);
});

test('the former file is put back if the database has not', async () => {
  const takeover = new Unanswered(former);
  await expect(changeOn(takeover)).rejects.toThrow('the connection was lost');
  expect(takeover.exchanges).toBe(1);
  expect(onDisk()).toEqual([former, 'shelf.json']);
});
