/** What the runtime contains, from the page about its license that its types have, with the versions that it reports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server-entries.ts';

/** `spdx` is an expression; undefined for texts that have no identifier, which are at `url`. */
export type Part = {
  readonly name: string;
  readonly version?: string;
  readonly license: string;
  readonly spdx?: string;
  readonly url: string;
};

/** As the page names them, without links. A part with another license fails the build: read it, and add it here. */
const licenses: Readonly<Record<string, string | undefined>> = {
  MIT: 'MIT',
  'MIT licensed': 'MIT',
  'MIT (bundled xxhash is BSD 2-Clause)': 'MIT AND BSD-2-Clause',
  'MIT (portions derived from Chromium proto-quic, BSD 3-Clause)': 'MIT AND BSD-3-Clause',
  'BSD 2-Clause': 'BSD-2-Clause',
  'BSD 3-Clause': 'BSD-3-Clause',
  'BSD 3-Clause / IJG / zlib': 'BSD-3-Clause AND IJG AND Zlib',
  'BSD 2-Clause (portions derived from libpng, PNG Reference Library License v2)': 'BSD-2-Clause AND libpng-2.0',
  'Apache 2.0': 'Apache-2.0',
  'Apache 2.0 licensed': 'Apache-2.0',
  'LGPL v2.1': 'LGPL-2.1-or-later',
  zlib: 'Zlib',
  'ICU license': 'ICU',
  'dual-licensed under the Perl License or the MIT License': 'MIT',
  'dual-licensed under the BSD License or GPLv2 license': 'BSD-3-Clause',
  'dual-licensed under CC0 1.0 or the BSD 2-Clause License': 'BSD-2-Clause',
  'several licenses': undefined,
  'public domain': undefined,
};

/** Names in `process.versions` that differ from those of the page. */
const reported: Readonly<Record<string, string>> = {
  'lol-html': 'lolhtml',
  'ls-hpack': 'lshpack',
  picohttp: 'picohttpparser',
  uSockets: 'usockets',
  uWebsockets: 'uwebsockets',
  'zlib-ng': 'zlib',
  'c-ares': 'ares',
  libicu: 'icu',
  JavaScriptCore: 'webkit',
};

/** Versions of interfaces that the runtime offers and of its compiler, not of a part; and the runtime itself. */
export const notParts = ['node', 'bun', 'v8', 'uv', 'napi', 'modules', 'unicode', 'openssl', 'typescript', 'zig'];

function part(name: string, license: string, url: string): Part {
  if (!(license in licenses))
    throw new Error(`${name} in the runtime has the license "${license}", which is not known`);
  const spdx = licenses[license];
  const version = process.versions[reported[name] ?? name];
  return { name, license, url, ...(spdx === undefined ? {} : { spdx }), ...(version === undefined ? {} : { version }) };
}

/** Without its front matter. */
export function licensePage(): string {
  const page = readFileSync(join(root, 'node_modules/bun-types/docs/project/license.mdx'), 'utf8');
  const [, text = ''] = page.split(/^---\n[\s\S]*?^---\n/m);
  return text.trim();
}

const row = /^\| (.*?)\[([^\]]+)\]\((\S+)\)(.*?) +\| (.+?) +\|$/gm;
const link = /\[([^\]]+)\]\((\S+)\)/;

/** In the order of the page: JavaScriptCore, the libraries and the polyfills of Node's modules. */
export function runtimeParts(): readonly Part[] {
  const rows = [...licensePage().matchAll(row)].filter(([, , , , after = '']) => !after.includes('(on Windows)'));
  const listed = rows.map(([, , name = '', url = '', , license = '']) => {
    const [, text = license, at = url] = link.exec(license) ?? [];
    return part(name.replaceAll('`', ''), text, at);
  });
  const webkit = {
    name: 'JavaScriptCore',
    license: 'LGPL-2',
    spdx: 'LGPL-2.0-or-later',
    url: 'https://github.com/oven-sh/webkit',
  };
  const engine = { ...webkit, version: process.versions.webkit ?? '' };
  // The page lacks the parser of HTTP, which the runtime reports.
  return [engine, ...listed, part('llhttp', 'MIT', 'https://github.com/nodejs/llhttp')];
}
