/** The licenses of the packages that the bundles contain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './server-entries.ts';

/** Packages that the source imports. The runtime is a dependency of its own, and `node:` is part of it. */
function importedPackages(): string[] {
  const names = new Set<string>();
  for (const file of new Bun.Glob('{src,console}/**/*.{ts,tsx}').scanSync(root)) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const source = readFileSync(join(root, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/\bfrom '((?:@[\w-]+\/)?[\w-]+)[^']*'/g)) names.add(name);
  }
  return [...names].filter((name) => name !== 'bun' && name !== 'node' && name !== 'shelf').sort();
}

export function licenses(): string {
  return importedPackages()
    .map((name) => {
      const folder = join(root, 'node_modules', name);
      const files = readdirSync(folder).filter((file) => /licen[cs]e|^notice/i.test(file));
      if (files.length === 0) throw new Error(`${name} has no license file`);
      return [`# ${name}`, ...files.map((file) => readFileSync(join(folder, file), 'utf8').trim())].join('\n\n');
    })
    .join('\n\n');
}
