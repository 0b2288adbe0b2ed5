/** docs/security.md against the real service: the audit log, and issuers of tokens, with issuers on loopback in their place. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { readCommand } from '../../src/cli/config/config.ts';
import { collections } from '../../src/collections/registry.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { FakeIssuer } from '../support/servers/issuers/fake-issuer.ts';
import { audience, consoleClient, TestIssuer } from '../support/servers/issuers/issuer.ts';
import { root, runShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const sectionOf = (heading: string) => page.split(`\n${heading}\n`)[1]?.split(/^#{2,3} /m)[0] ?? '';
const blocksOf = (heading: string) => (language: string) =>
  [...sectionOf(heading).matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, text = '']) =>
    kind === language ? [text.trim()] : [],
  );
const blocks = blocksOf('### OpenID Connect');
const shownIssuer = 'https://id.example.com';

/** The settings of a command that the page shows. */
function settingsIn(command = '') {
  const [, flags = ''] = command.split('npm start -- ');
  const read = readCommand(flags.split(' '), {});
  if (read.kind !== 'serve' || flags === '') throw new Error('the page shows no server');
  return read;
}

/** The settings of the command that the page shows, with this issuer. */
function settingsFor(issuer: string) {
  const read = settingsIn(blocks('sh').find((block) => block.startsWith('npm start')));
  expect(read.config.access.oidcIssuer).toEqual({ value: [shownIssuer] });
  expect(read.config.access.oidcAudience).toEqual({ value: audience });
  return { ...read.config.access, oidcIssuer: { value: [issuer] } };
}

test('a service with a token gets the answer that the page shows', async () => {
  const issuer = await TestIssuer.start();
  const server = await startServer({ access: settingsFor(issuer.url) });
  const [request = '', shown = ''] = (blocks('sh').find((block) => block.startsWith('$ curl')) ?? '').split('\n');
  const path = /http:\/\/127\.0\.0\.1:8000(\S+)/.exec(request)?.[1] ?? '';
  expect(request).toContain('-H "Authorization: Bearer $TOKEN"');
  const answer = await fetch(server.url + path, {
    headers: { Authorization: `Bearer ${await issuer.token('write')}` },
  });
  expect(await answer.text()).toBe(shown.replace(shownIssuer.replace('https://', ''), issuer.url));
  await server.stop();
  await issuer.stop();
});

test('the console is registered as the page says', async () => {
  const read = settingsIn(blocksOf('### Signing in to the console')('sh')[0]);
  expect(read.config.access.oidcIssuer).toEqual({ value: [shownIssuer] });
  const issuer = await TestIssuer.start();
  const server = await startServer({ access: { ...read.config.access, oidcIssuer: { value: [issuer.url] } } });
  const html = await (await fetch(`${server.url}/console`)).text();
  const [, text = ''] = /data-sign-ins="([^"]*)"/.exec(html) ?? [];
  const { audience: asked, issuers } = JSON.parse(text.replaceAll('&#34;', '"'));
  expect([asked, issuers[0].client]).toEqual([audience, consoleClient]);
  const [, redirectUri = '', afterSignOut] =
    /redirect URI `([^`]+)`, exactly, and `([^`]+)` as the one after/.exec(
      sectionOf('### Signing in to the console'),
    ) ?? [];
  expect([redirectUri, afterSignOut]).toEqual([`${audience}/console/-/signed-in`, `${audience}/console`]);
  await server.stop();
  await issuer.stop();
});

test('an issuer that cannot be read makes the line that the page shows', async () => {
  const issuer = FakeIssuer.start();
  issuer.answer = () => new Response('', { status: 502 });
  const log = new ServerLog();
  const server = await startServer({ access: settingsFor(issuer.url), logTo: log.logTo });
  const [line = ''] = blocks('json');
  expect(log.named('issuer')).toEqual([JSON.parse(line.replaceAll(shownIssuer, issuer.url))]);
  await server.stop();
  await issuer.stop();
});

test('the audit log has the lines that the page shows', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'audit.log');
  const database = `sqlite:${join(folder, 'k.db')}`;
  const inAudit = blocksOf('## Audit log');
  const { config } = settingsIn(inAudit('sh')[0]);
  expect(config.log.audit.value).toEndWith('/audit.log');
  const server = await startServer({ database, access: config.access, log: { audit: { value: path } } });
  const make = async (name: string, scope: 'read' | 'admin') => {
    const order = { kind: 'create', name, scope, collections: undefined, lastsMs: undefined } as const;
    return {
      Authorization: `Bearer ${(await runKeys(server.store.admin.apiKeys, order, new Date(), collections)).output.trim()}`,
    };
  };
  const [reader, admin] = [await make('reader', 'read'), await make('admin', 'admin')];
  const shown = (inAudit('json')[0] ?? '').split('\n').map((line) => JSON.parse(line));
  const urlOf = (line: { route: string; record: string }) =>
    server.url + (line.route.split(' ')[1] ?? '').replace('{id}', line.record);
  await fetch(urlOf(shown[0]));
  await fetch(urlOf(shown[1]), { method: 'DELETE', headers: reader });
  await fetch(urlOf(shown[2]), { method: 'POST', headers: admin, body: '{"name":"shop","scope":"read"}' });
  await server.stop();
  expect((await runShelf({ args: ['keys', 'revoke', 'shop', '--database', database, '--audit', path] })).code).toBe(0);
  const written = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  // What differs from run to run.
  const plain = (lines: readonly Record<string, string | null>[]) =>
    lines.map(({ record, caller, request_id, ...line }) => ({
      ...line,
      time: line.time?.replaceAll(/\d/g, '0'),
      record: record?.replace(/^[0-9a-f]{12}$/, 'key'),
      caller: caller?.replace(/^command:.*/, 'command'),
      request_id: request_id?.replaceAll(/[0-9a-f]/g, '0').replace(/0+$/, ''),
    }));
  expect(plain(written)).toEqual(plain(shown));
  expect(Object.keys(written[0])).toEqual(Object.keys(shown[0]));
  const members = [...sectionOf('## Audit log').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(['time', ...members]).toEqual(Object.keys(written[0]));
});
