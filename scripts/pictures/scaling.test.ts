/** The pictures of docs/scaling.md are those that the code draws, and the page shows each. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { draw, pictures } from './scaling.ts';

const docs = join(import.meta.dir, '../../docs');

test.each(Object.entries(pictures))('%s is current, and has a place', (name, picture) => {
  expect(readFileSync(join(docs, 'images', `${name}.svg`), 'utf8')).toBe(draw(picture));
  expect(readFileSync(join(docs, 'scaling.md'), 'utf8')).toContain(`](images/${name}.svg)`);
});
