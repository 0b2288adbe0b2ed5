import { expect, test } from 'bun:test';
import { definitionOf, isSameTable } from './table-definition.ts';

const isSame = (one: string, other: string) => isSameTable(definitionOf(one), definitionOf(other));
const table = (...columns: readonly string[]) => `CREATE TABLE "t" (${columns.join(', ')}) strict`;

test.each([
  ['in another order', table('a text', 'b any'), table('b any', 'a text')],
  ['with other spaces', table('a text', 'b any'), 'CREATE TABLE t(a  text\n  , b any)  strict'],
  ['with another text as default', table("a text default 'it''s, (x'"), table("a text default ''")],
  ['with another number as default', table('a any default -1e+21'), table('a any default 5e-324')],
  ['with null as default', table('a text default null'), table('a text')],
  [
    'with the moment as default',
    table("a text default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"),
    table("a text default (date( 'now' ))"),
  ],
])('a table %s is the same', (_, one, other) => {
  expect(isSame(one, other)).toBe(true);
});

test.each([
  ['one more column', table('a text'), table('a text', 'b text')],
  ['another type', table('a text'), table('a any')],
  ['another check', table("a text check (a in ('x, y', 'z'))"), table("a text check (a in ('x', 'y, z'))")],
  ['a computed default', table('a text'), table("a text default (upper('x'))")],
  ['a computed moment', table('a text'), table("a text default (date('now', '+1 day'))")],
  ['a default of two texts', table('a text'), table("a text default 'x' check (1) default 'y'")],
  ['a constraint', table('a text'), table('a text', 'check (a)')],
  ['other options', table('a text'), 'CREATE TABLE t (a text)'],
  ['a comment', table('a text'), table('a text /* , b text */')],
])('a table with %s is another one', (_, one, other) => {
  expect(isSame(one, other)).toBe(false);
});
