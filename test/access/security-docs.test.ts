/** docs/security.md against the real service: the parts about issuers of tokens, with issuers on loopback in their place. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommand } from '../../src/cli/config/config.ts';
import { FakeIssuer } from '../support/servers/fake-issuer.ts';
import { audience, TestIssuer } from '../support/servers/issuer.ts';
import { root } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const [, section = ''] = /\n### OpenID Connect\n(.*?)\n##+ /s.exec(page) ?? [];
const blocks = (language: string) =>
  [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, text = '']) =>
    kind === language ? [text.trim()] : [],
  );
const shownIssuer = 'https://id.example.com';

/** The settings of the command that the page shows, with this issuer. */
function settingsFor(issuer: string) {
  const [command = ''] = blocks('sh').filter((block) => block.startsWith('npm start -- '));
  const args = command.replace('npm start -- ', '').split(' ');
  const read = readCommand(args, {});
  if (read.kind !== 'serve') throw new Error('the page shows no server');
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
