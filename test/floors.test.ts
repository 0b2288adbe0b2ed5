/** A file imports only from lower floors or its own, and no two files import each other, however far around. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './process.ts';

const floors: Readonly<Record<string, { floor: number; sees: readonly string[] }>> = {
  domain: { floor: 0, sees: [] },
  collections: { floor: 0, sees: ['domain'] },
  threads: { floor: 0, sees: [] },
  storage: { floor: 1, sees: ['domain', 'threads'] },
  wire: { floor: 1, sees: ['domain'] },
  http: { floor: 2, sees: ['domain', 'threads', 'wire'] },
  cli: { floor: 3, sees: ['domain', 'collections', 'storage', 'wire', 'http'] },
};

const files = [...new Bun.Glob('src/**/*.ts').scanSync(root)].filter((file) => !/\.(test|d)\.ts$/.test(file));
const source = (file: string) => readFileSync(join(root, file), 'utf8');
const imports = (file: string) =>
  [...source(file).matchAll(/\b(?:from|import|require)\b[ (]'([^']+)'/g)].map(([, path]) => path ?? '');
const local = (file: string) =>
  imports(file)
    .filter((path) => path.startsWith('.') && path.endsWith('.ts'))
    .map((path) => normalize(join(dirname(file), path)));
const folderOf = (file: string) => file.split('/')[1] ?? '';

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(local('src/http/app.ts')).toContain('src/domain/store.ts');
});

test('every folder has its floor', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(floors).sort());
});

test.each(files)('%s', (file) => {
  const folder = folderOf(file);
  for (const imported of local(file)) {
    const other = folderOf(imported);
    if (other !== folder)
      expect({ imported, allowed: floors[folder]?.sees.includes(other) }).toEqual({ imported, allowed: true });
  }
});

test('the domain touches neither the runtime nor the outside', () => {
  for (const file of files.filter((path) => path.startsWith('src/domain/') || path.startsWith('src/collections/'))) {
    expect(source(file)).not.toMatch(/\bBun\.|\bprocess\.|\bfetch\(/);
    for (const path of imports(file)) expect(path).toMatch(/^(\.|typebox)/);
  }
});

test('no cycle', () => {
  const done = new Set<string>();
  function visit(file: string, trail: readonly string[]): void {
    expect(trail).not.toContain(file);
    if (done.has(file)) return;
    for (const next of local(file)) visit(next, [...trail, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
});

test('no file is named for a heap of things', () => {
  for (const file of files) expect(file).not.toMatch(/\/(utils?|helpers?|types|common|misc)\.ts$/);
});
