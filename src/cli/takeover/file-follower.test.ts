/** What is logged of an edited file that cannot be served. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { FileFollower } from './file-follower.ts';
import { type LiveOptions, LiveSettings } from './live-settings.ts';
import { Takeover, type TakeoverParts } from './takeover.ts';

test('a file with several mistakes is logged with each of them, once', async () => {
  const path = join(temporaryFolder(), 'shelf.json');
  writeFileSync(path, '{"settings": {"port": 1, "log": "off"}}');
  const lines: string[] = [];
  const takeover = new Takeover({ collections: [], rules: undefined }, {} as TakeoverParts);
  const live = new LiveSettings({
    config: { access: { auth: 'off' } } as LiveOptions['config'],
    file: { path, text: '{}', settings: new Map() },
    closed: undefined,
    takeover: () => takeover,
    backUp: undefined,
    log: () => {},
  });
  const follower = new FileFollower({
    live,
    takeover: () => takeover,
    permission: { risks: [], allowed: [] },
    isWatching: true,
    log: (level, message) => lines.push(`${level} ${message}`),
  });
  expect(await follower.look()).toBe('wait');
  expect(await follower.look()).toBe('wait');
  const restart =
    'takes effect only at a start, so it cannot be changed while the server runs: leave it as it is, without a value';
  expect(lines).toEqual([
    `warn shelf.json was edited, and not taken over; what was served before goes on. settings.port: ${restart}; settings.log: ${restart}`,
  ]);
});
