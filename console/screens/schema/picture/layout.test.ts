import { expect, test } from 'bun:test';
import { type Box, layOut, type Shown } from './layout.ts';

const shown = (name: string, ...to: readonly string[]): Shown => ({
  name,
  rows: to.map((one) => ({ text: `${one} reference`, to: one })),
});
const boxOf = (boxes: readonly Box[], name: string): Box => {
  const box = boxes.find((one) => one.name === name);
  if (box === undefined) throw new Error(name);
  return box;
};
const overlap = (one: Box, other: Box) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

test('what refers is to the left of what it refers to, by the longest way', () => {
  const { boxes } = layOut([shown('authors'), shown('books', 'authors'), shown('reviews', 'books', 'authors')]);
  const [authors, books, reviews] = ['authors', 'books', 'reviews'].map((name) => boxOf(boxes, name).x);
  expect(Number(reviews)).toBeLessThan(Number(books));
  expect(Number(books)).toBeLessThan(Number(authors));
});

test('each reference has a line, from its row to the box', () => {
  const { boxes, lines } = layOut([shown('books', 'authors', 'books', 'gone'), shown('authors')]);
  expect(lines.map(({ from, to }) => [from, to])).toEqual([
    ['books', 'authors'],
    ['books', 'books'],
  ]);
  const [books, authors] = [boxOf(boxes, 'books'), boxOf(boxes, 'authors')];
  expect(lines[0]?.path).toStartWith(`M${books.x + books.width} ${books.y + 40}C`);
  expect(lines[0]?.path).toEndWith(` ${authors.x} ${authors.y + 15}`);
});

test('boxes do not overlap, whatever refers to whatever', () => {
  const names = Array.from({ length: 23 }, (_, n) => `collection_${n}`);
  const all = names.map((name, n) =>
    shown(name, ...names.filter((_, other) => (n * 7 + other * 3) % 11 === 0 && n % 4 !== 0)),
  );
  const { boxes, width, height } = layOut(all);
  expect(boxes).toHaveLength(names.length);
  for (const [place, one] of boxes.entries()) {
    expect(boxes.slice(place + 1).filter((other) => overlap(one, other))).toEqual([]);
    expect(one.x + one.width).toBeLessThan(width);
    expect(one.y + one.height).toBeLessThan(height);
  }
});

test('a cycle ends', () => {
  const { boxes, lines } = layOut([shown('a', 'b'), shown('b', 'c'), shown('c', 'a')]);
  expect(boxes).toHaveLength(3);
  expect(lines).toHaveLength(3);
});
