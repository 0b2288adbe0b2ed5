/** The pictures in docs/images: every screen has its own, the script makes all of them, and the README begins with the first minute. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { looks, screens, screensFolder } from './screens.ts';

const root = join(import.meta.dir, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('every tool of the console has a screen', () => {
  const names = [...read('console/screens/tools.ts').matchAll(/\{ name: '(\w+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(4);
  expect(names.filter((name) => name === undefined || !(name in screens))).toEqual([]);
});

test('every screen has a picture in each look, and there is no other', () => {
  const expected = Object.keys(screens).flatMap((name) => Object.keys(looks).map((look) => `${name}-${look}.webp`));
  expect(readdirSync(join(root, 'docs/images', screensFolder)).sort()).toEqual(expected.sort());
});

test('the script makes every picture of the documentation', () => {
  const script = `${read('scripts/screenshots.ts')} ${read('scripts/pictures/scaling.ts')}`;
  const names = readdirSync(join(root, 'docs/images')).flatMap((file) => /^(.*)\.(?:png|svg)$/.exec(file)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !new RegExp(`['/]${name}['.]`).test(script))).toEqual([]);
});

test('the first picture of the README is a CSV file that becomes a table, and it moves', () => {
  const [, alt = '', path = ''] = /!\[([^\]]*)\]\(([^)]+)\)/.exec(read('README.md')) ?? [];
  expect(path).toBe('docs/images/console-import.png');
  expect(alt).toStartWith('A CSV file is dropped on an empty Shelf');
  // The control chunk of an animated PNG.
  expect(readFileSync(join(root, path)).includes('acTL')).toBe(true);
});
