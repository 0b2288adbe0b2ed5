/** The licenses and the SBOM name the parts of bundles and of the runtime, too. */
import { expect, test } from 'bun:test';
import { executableLicenses } from './licenses.ts';
import { notParts, runtimeParts } from './runtime-parts.ts';
import { sboms } from './sbom.ts';

type Component = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly object[];
  readonly components?: readonly Component[];
};

const [server] = await sboms({ revision: 'revision', date: 1_700_000_000 });
const { components } = JSON.parse(Buffer.from(server?.bytes ?? []).toString()) as {
  readonly components: readonly Component[];
};
const inside = (name: string) => components.find((one) => one.name === name)?.components ?? [];

test('the runtime has every part that it reports, each with its version and its license', () => {
  const parts = inside('bun');
  const versions = parts.map(({ version }) => version);
  for (const [name, version] of Object.entries(process.versions))
    if (!notParts.includes(name)) expect({ name, has: versions.includes(version) }).toEqual({ name, has: true });
  for (const { licenses } of parts) expect(licenses).toHaveLength(1);
  expect(parts.find(({ name }) => name === 'JavaScriptCore')).toMatchObject({
    version: process.versions.webkit,
    licenses: [{ license: { id: 'LGPL-2.0-or-later' } }],
  });
  expect(parts.find(({ name }) => name === 'ls-hpack')?.licenses).toEqual([{ expression: 'MIT AND BSD-2-Clause' }]);
  expect(parts.find(({ name }) => name === 'sqlite')?.licenses).toEqual([
    { license: { name: 'public domain', url: 'https://sqlite.org/copyright.html' } },
  ]);
  const names = parts.map(({ name }) => name);
  for (const name of ['boringssl', 'brotli', 'simdutf', 'libicu', 'uWebsockets', 'string_decoder', 'llhttp'])
    expect(names).toContain(name);
  expect(names).not.toContain('libuv');
  expect(new Set(names).size).toBe(names.length);
});

test('Swagger UI and Redoc have what they have bundled', () => {
  const swagger = inside('swagger-ui-dist').map(({ name }) => name);
  for (const name of ['react', 'immutable', '@swagger-api/apidom-core', 'dompurify']) expect(swagger).toContain(name);
  const redoc = inside('redoc').map(({ name, version }) => `${name} ${version}`);
  expect(redoc.map((name) => name.replace(/\d.*/, '').trim())).toEqual([
    ...['DOMPurify', 'FlexSearch', 'js-yaml', 'json-crawl', 'react undefined', 'react-dom undefined'],
    ...['react-dom-client undefined', 'react-jsx-runtime undefined', 'react-router', 'regenerator-runtime undefined'],
    'scheduler undefined',
  ]);
});

test('every part has a name of its own in the SBOM', () => {
  const all = components.flatMap((one) => [one, ...(one.components ?? [])]).map((one) => one['bom-ref']);
  expect(new Set(all).size).toBe(all.length);
});

test('the licenses have the names, the notices and the texts', async () => {
  const text = await executableLicenses();
  const absent = (parts: readonly string[]) => parts.filter((part) => !text.includes(part));
  expect(absent(runtimeParts().map(({ name }) => `- ${name}, `))).toEqual([]);
  const parts = [
    '# redoc ',
    '@license DOMPurify',
    'Its bundle contains: @babel/runtime, ',
    'GNU LIBRARY GENERAL PUBLIC LICENSE',
    'GNU LESSER GENERAL PUBLIC LICENSE',
    'ICU License - ICU 1.8.1 and later',
    '# The text of BSD-3-Clause',
  ];
  expect(absent(parts)).toEqual([]);
});
