/** What packages have bundled themselves: Swagger UI by the source map of its bundle, Redoc by the notices in its bundle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundled } from './bundled.ts';

export type InnerPart = { readonly name: string; readonly version?: string };
type Inside = { readonly parts: readonly InnerPart[]; readonly notices: readonly string[] };

const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/;
const comment = /\/\*[*!][\s\S]*?\*\//g;
/** Longer ones begin in a text that only looks like a comment. */
const maxNotice = 1500;
const isNotice = (text: string) => text.length < maxNotice && /@license|copyright/i.test(text);
/** As `react-dom.production.js`, which has no version, or `DOMPurify 3.4.16`. */
const named = /([\w-]+)\.production\.js|([a-z][\w-]*)(?:\.js)? v?(\d+\.\d+\.\d+)|! ([\w-]+) -- /i;

function sorted(parts: readonly InnerPart[]): InnerPart[] {
  const byName = new Map(parts.map((one) => [one.name, one]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function bySourceMap(file: string): Inside {
  const { sources } = JSON.parse(readFileSync(file, 'utf8')) as { readonly sources: readonly string[] };
  const names = sources.map((source) => packageName.exec(source)?.[1]).filter((name) => name !== undefined);
  return { parts: sorted(names.map((name) => ({ name }))), notices: [] };
}

function byNotices(file: string): Inside {
  const all = [...readFileSync(file, 'utf8').matchAll(comment)].map(([text]) => text.replaceAll('\\r\n', '\n'));
  const notices = [...new Set(all.filter(isNotice))];
  const parts = notices.flatMap((notice) => {
    const [, production, name = production, version, other = name] = named.exec(notice) ?? [];
    return other === undefined ? [] : [{ name: other, ...(version === undefined ? {} : { version }) }];
  });
  return { parts: sorted(parts), notices };
}

export function insideOf({ name, folder }: Bundled): Inside {
  if (name === 'swagger-ui-dist') return bySourceMap(join(folder, 'swagger-ui-bundle.js.map'));
  if (name === 'redoc') return byNotices(join(folder, 'bundles/redoc.standalone.js'));
  return { parts: [], notices: [] };
}
