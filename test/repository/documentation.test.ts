/** The documentation and the service agree on settings, routes, errors, commands and files. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { topics } from '../../src/cli/config/config.ts';
import { configSchema } from '../../src/cli/config/file-schema.ts';
import { allSettings } from '../../src/cli/settings/settings.ts';
import { collections } from '../../src/collections/registry.ts';
import { failures } from '../../src/domain/errors.ts';
import { types } from '../../src/domain/types/all-types.ts';
import { createApp } from '../../src/http/app.ts';
import { LastHour } from '../../src/http/observe/last-hour.ts';
import { Metrics } from '../../src/http/observe/metrics.ts';
import { openEngine } from '../../src/storage/open.ts';
import { Load } from '../../src/wire/load.ts';
import { defaults, engineOptions } from '../support/servers/engine.ts';
import { noSettings } from '../support/servers/no-settings.ts';
import { root } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = ['*.md', 'docs/*.md'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);

describe('docs/configuration.md', () => {
  const page = read('docs/configuration.md');
  test.each(allSettings)('$flag', ({ flag, env, default: preset, help }) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${flag}\` |`));
    expect(row).toBe(`| \`${flag}\` | \`${env}\` | \`${preset}\` | ${help} |`);
  });

  test('names only settings that exist', () => {
    const flags: string[] = allSettings.map(({ flag }) => flag);
    for (const [, flag] of page.matchAll(/^\| `(--[\w-]+)`/gm)) expect(flags).toContain(flag ?? '');
  });
});

describe('docs/api.md and docs/api-v2.md', () => {
  const page = read('docs/api.md') + read('docs/api-v2.md');
  const store = openEngine({ kind: 'memory' }, collections, engineOptions);
  const { routes } = createApp({
    collections,
    store,
    version: '0',
    configSchema,
    console: true,
    docs: 'on',
    access: {
      auth: 'off',
      verify: undefined,
      issuers: [],
      rate: undefined,
      proxies: [],
      origins: [],
      hosts: undefined,
    },
    limits: defaults.limits,
    log: { write: () => {}, level: 'info', slow: 1000 },
    idempotency: 1000,
    ageing: { deprecation: undefined, sunset: undefined },
    load: new Load({
      maxConnections: 1,
      overLimitConnections: 1,
      maxHeld: 1,
      connectionClient: () => undefined,
      requestClient: () => undefined,
    }),
    metrics: new Metrics(),
    hour: new LastHour(''),
    settings: noSettings,
  });

  test.each(routes.filter(({ path }) => !path.startsWith('/api/v1')))('$method $path', ({ method, path }) => {
    expect(page).toContain(`| ${method} | \`${path}\` |`);
  });

  test('names only routes and failures that exist', () => {
    const known = [...routes.map(({ method, path }) => `${method} ${path}`), ...Object.keys(failures)];
    const told = [...page.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) \| `([^`]+)`/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const codes = [...page.matchAll(/^\| `(\w+)` \| \d{3} \|/gm)].map(([, code]) => code ?? '');
    for (const name of [...told, ...codes]) expect(known).toContain(name);
  });

  test('says that v1 is the same', () => {
    expect(page).toContain('`/api/v1/...`');
  });

  test.each(Object.entries(failures))('the failure %s', (code, { status, title, hint }) => {
    expect(page).toContain(`| \`${code}\` | ${status} | ${title}: ${hint}. |`);
  });
});

describe('docs/operations.md', () => {
  const page = read('docs/operations.md');
  const commands = topics.filter((topic) => topic !== 'serve' && topic !== 'keys');
  test.each(commands)('shelf %s', (command) => {
    expect(page).toMatch(new RegExp(`^\\| .*\`shelf ${command}\\b`, 'm'));
  });
});

describe('docs/collections.md', () => {
  const page = read('docs/collections.md');
  test.each(Object.entries(types))('the type %s', (name, { options }) => {
    const [, section = ''] = page.split(`\n### ${name}\n`);
    for (const option of Object.keys(options)) expect(section.split('\n### ')[0]).toContain(`\`${option}\``);
  });
});

test('the changelog, the lock file and every page and manifest have the version of the package', () => {
  const { version } = packageJson;
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } };
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  const manifests = [...new Bun.Glob('deploy/**').scanSync(root)];
  const named = [...pages.filter((page) => page !== 'CHANGELOG.md'), ...manifests].flatMap((file) =>
    [...read(file).matchAll(/\bshelf[-:@](\d+\.\d+\.\d+)/g)].map(([, one]) => `${file} ${one}`),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const one of named) expect(one).toEndWith(` ${version}`);
});

test('there are pages to check', () => {
  for (const page of ['README.md', 'ARCHITECTURE.md', 'docs/api.md', 'docs/collections.md'])
    expect(pages).toContain(page);
});

test('the first ten lines of the README say what Shelf is, how to get it, what it runs on and when not to use it', () => {
  const lines = read('README.md').split('\n').slice(0, 10);
  const starting = (text: string) => lines.find((line) => line.startsWith(text)) ?? '';
  expect(starting('Shelf serves collections of records')).toContain('SQLite file or in PostgreSQL');
  for (const way of ['npm create shelf', 'executable', 'image', 'Helm chart', 'docs/install.md'])
    expect(starting('- **Get it:**')).toContain(way);
  for (const platform of ['Linux', 'macOS', 'x64', 'arm64', 'Windows', 'Node 20'])
    expect(starting('- **It runs on**')).toContain(platform);
  expect(starting('- **Not for**')).toContain('(#when-not-to-use-it)');
});

test('every import on a page is of a package that is published', () => {
  const all = [...pages, ...new Bun.Glob('packages/*/README.md').scanSync(root)];
  const imported = all.flatMap((page) =>
    [...read(page).matchAll(/\bfrom '([^']*shelf[^']*)'/g)].map(([, name]) => name),
  );
  expect(imported.length).toBeGreaterThan(1);
  // The types that `shelf types` prints are in a file of the application.
  expect(new Set(imported.filter((name) => !name?.startsWith('./')))).toEqual(new Set(['shelf-client']));
});

test('ARCHITECTURE.md is one screen, and has every folder of src', () => {
  const lines = read('ARCHITECTURE.md').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  const folders = new Set([...new Bun.Glob('src/**/*.ts').scanSync(root)].map((file) => dirname(file)));
  const words = lines.join('\n').split(/[^\w/-]+/);
  const isNamed = (folder: string) => words.includes(folder) || words.includes(`${basename(folder)}/`);
  expect([...folders].filter((folder) => !isNamed(folder))).toEqual([]);
  expect(folders.size).toBeGreaterThan(50);
});

test('the tour in the README gives the answers that it shows', async () => {
  const server = await startServer();
  const tour = /## A minute's tour\n\n```sh\n(.*?)```/s.exec(read('README.md'))?.[1] ?? '';
  const steps = tour.trim().split(/^\$ /m).slice(1);
  expect(steps.length).toBeGreaterThan(4);
  for (const step of steps) {
    const [line = '', ...expected] = step.trim().split('\n');
    const [, method, path = '', body] =
      /^curl (?:-X (\w+) )?http:\/\/127\.0\.0\.1:8000(\S+)(?: -d '(.*)')?/.exec(line) ?? [];
    const options = body === undefined ? { method: method ?? 'GET' } : { method: 'POST', body };
    expect(await (await fetch(server.url + path, options)).text()).toBe(expected.join(''));
  }
  await server.stop();
});

test('the examples of docs/api-v2.md give the answers that it shows', async () => {
  const server = await startServer();
  const examples = [...read('docs/api-v2.md').matchAll(/^\$ curl (.*)\n(.*)$/gm)];
  expect(examples.length).toBe(13);
  for (const [, line = '', expected = ''] of examples) {
    const given = (flag: string) =>
      [...line.matchAll(new RegExp(`-${flag} \\$?(?:'([^']*)'|(\\S+))`, 'g'))].map(
        (match) => match[1] ?? match[2] ?? '',
      );
    const body = given('d')[0]?.replaceAll('\\n', '\n');
    const path = /http:\/\/127\.0\.0\.1:8000([^\s']+)/.exec(line)?.[1] ?? '';
    const headers = Object.fromEntries(given('H').map((header) => header.split(': ')));
    const method = given('X')[0] ?? (body === undefined ? 'GET' : 'POST');
    const answer = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const [start = ''] = expected.split('...');
    // The live feed never ends.
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk);
      if (text.length >= start.length) break;
    }
    expect(text).toStartWith(start);
    expect(answer.status).toBeLessThan(expected.includes('"status":') ? 500 : 300);
  }
  await server.stop();
});

describe.each(pages)('%s', (file) => {
  const page = read(file);
  test('links only to files that exist', () => {
    for (const [, link = ''] of page.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      expect({ link, exists: existsSync(join(root, dirname(file), link)) }).toEqual({ link, exists: true });
    }
  });

  test('names only commands that exist', () => {
    for (const [, script = ''] of page.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(packageJson.scripts)).toContain(script);
  });

  test('names only source files that exist', () => {
    for (const [, path = ''] of page.matchAll(/`((?:src|test|scripts|conformance)\/[\w./-]+)`/g)) {
      expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true });
    }
  });
});
