/** Servers whose declarations change while they run: each has a configuration file in a folder of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfigFile } from '../../../src/cli/config/config-file.ts';
import { backUpServed } from '../../../src/cli/data/backup-served.ts';
import { allSettings } from '../../../src/cli/settings/settings.ts';
import { collectionsOf } from '../../../src/collections/registry.ts';
import { engineOf } from './engine.ts';
import { type ServerOptions, startServer } from './server.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Answer = { readonly status: number; readonly body: Json; readonly tag: string };

/** A file with one collection, `books`, of these fields. */
export const fileOf = (fields: Json, more: Json = {}) =>
  `{ "collections": { "books": ${JSON.stringify({ singular: 'book', fields, ...more })} } }\n`;

export type Live = Awaited<ReturnType<typeof startLive>>;

/** `path` is that of a file which is there already. */
export async function startLive({
  text,
  path = join(mkdtempSync(join(tmpdir(), 'shelf-live-')), 'shelf.json'),
  ...options
}: { readonly text?: string; readonly path?: string } & ServerOptions) {
  if (text !== undefined) writeFileSync(path, text);
  const file = readConfigFile(path, allSettings);
  const engine = engineOf(options.database ?? 'memory:');
  const backups: string[] = [];
  const server = await startServer({
    collections: collectionsOf(file.declarations, file.without),
    rules: file.access,
    file,
    ...(engine.kind === 'sqlite'
      ? {
          backUp: async ({ collections }) => {
            backups.push(await backUpServed(engine, collections));
          },
        }
      : {}),
    ...options,
  });

  async function ask(
    of: string,
    body?: unknown,
    method?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`${server.url}/api/v2/${of}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const found = await answer.text();
    return {
      status: answer.status,
      body: found === '' ? {} : (JSON.parse(found) as Json),
      tag: answer.headers.get('etag') ?? '',
    };
  }

  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(dirname(path), { recursive: true, force: true });
    },
    path,
    backups,
    ask,
    settings: () => ask('settings'),
    plan: (next: string) => ask('settings/plan', { text: next }),
    /** With the tag that the file has now. */
    async put(next: string, allow?: readonly string[], tag?: string): Promise<Answer> {
      return ask('settings', { text: next, ...(allow && { allow }) }, 'PUT', {
        'If-Match': tag ?? (await ask('settings')).tag,
      });
    },
    onDisk: () => readFileSync(path, 'utf8'),
    async records(of = 'books') {
      const { data } = (await ask(of)).body as { data: Json[] };
      return data.map(({ created_at: _, updated_at: __, version: ___, ...record }) => record);
    },
  };
}
