/** From this version back to 0.5.0, as docs/install.md describes it: with the sources of 0.5.0, from the history of git. */
import { expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { root, runShelf, startShelf } from '../support/servers/process.ts';

/** The last commit of 0.5.0. */
const release = '30923daa2a385ad1abcb4d6dbcf2e049b795ecb4';
const folder = temporaryFolder();
const old = join(folder, 'old');
const oldShelf = [process.execPath, join(old, 'src/cli/main.ts')];

/** An archive of the sources and a shallow clone do not have it. */
function hasRelease(): boolean {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'archive', release], { cwd: root, stderr: 'ignore' });
  if (exitCode !== 0) return false;
  mkdirSync(old);
  Bun.spawnSync(['tar', '-x', '-C', old], { stdin: stdout });
  symlinkSync(join(root, 'node_modules'), join(old, 'node_modules'));
  return true;
}

const isThere = hasRelease();
if (!isThere)
  process.stderr.write('\n!!! SKIPPED: rolling back to 0.5.0, which the history of this clone does not have.\n');

const json = { 'Content-Type': 'application/json' };
const ndjson = 'application/x-ndjson';
type Body = {
  readonly data: readonly object[];
  readonly created_at: string;
  readonly info: { readonly version: string };
};
const bodyOf = async (response: Promise<Response>) => (await (await response).json()) as Body;
const dataOf = async (url: string) => (await bodyOf(fetch(url))).data;

/** 0.5.0 fails to start on the database, with this message. */
async function refusal(database: string): Promise<string> {
  const { code, stderr } = await runCommand([...oldShelf, '--database', database, '--port', '0'], { env: {} });
  expect(code).toBe(1);
  return stderr;
}

test.skipIf(!isThere)(
  '0.5.0 serves the backup from before, and accepts the records that were added since',
  async () => {
    const [path, backup] = [join(folder, 'shelf.db'), join(folder, 'before-0.6.0.db')];
    for (const end of ['', '-lock']) copyFileSync(join(root, `test/releases/0.5.0.db${end}`), path + end);
    const database = ['--database', `sqlite:${path}`];
    expect(await runShelf({ args: ['backup', backup, ...database] })).toMatchObject({ code: 0 });

    const added = { external_id: 9007199254740991, name: 'added by the new version', price: 1e-7 };
    const server = await startShelf({ args: database });
    const before = await dataOf(`${server.url}/api/v2/items`);
    const { created_at: since } = await bodyOf(
      fetch(`${server.url}/api/v2/items`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(added),
      }),
    );
    const exported = await fetch(
      `${server.url}/api/v2/items?created_at[gte]=${since}&fields=${Object.keys(added).join()}`,
      { headers: { Accept: ndjson } },
    );
    const lines = await exported.text();
    expect(lines).toBe(`${JSON.stringify(added)}\n`);
    await server.stop();

    const migrated = readFileSync(path);
    expect(await refusal(`sqlite:${path}`)).toMatch(
      /^shelf: .* was written by a newer Shelf \(.*\): upgrade Shelf\.\n$/,
    );
    expect(readFileSync(path)).toEqual(migrated);

    expect(await runShelf({ args: ['restore', backup, ...database] })).toMatchObject({ code: 0 });
    // It does not know the variable.
    const restored = await startShelf({ command: oldShelf, args: database, env: { SHELF_CONFIG: '/none' } });
    const items = `${restored.url}/api/v2/items`;
    expect((await bodyOf(fetch(`${restored.url}/openapi.json`))).info.version).toBe('0.5.0');
    expect(await dataOf(items)).toEqual(before);
    const sent = await fetch(items, { method: 'POST', headers: { 'Content-Type': ndjson }, body: lines });
    expect(sent.status).toBe(201);
    expect((await dataOf(items)).at(-1)).toMatchObject(added);
    await restored.stop();
  },
  // Six starts of the command.
  180_000,
);

test.skipIf(!isThere || postgresUrl === undefined)('0.5.0 refuses a migrated database of PostgreSQL', async () => {
  const url = await newDatabase();
  const sql = new SQL({ url, max: 1 });
  await sql.unsafe(readFileSync(join(root, 'test/releases/0.6.0.sql'), 'utf8'));
  await sql.close();
  expect(await refusal(url)).toMatch(/^shelf: The database was written by a newer Shelf \(.*\): upgrade Shelf\.\n$/);
});
