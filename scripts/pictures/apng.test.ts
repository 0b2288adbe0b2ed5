import { expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { animated, changed } from './apng.ts';
import { chunk, decode, type Pixels, signature } from './png.ts';

const picture = (width: number, height: number, color: (x: number, y: number) => readonly number[]): Pixels => ({
  width,
  height,
  rgb: Uint8Array.from(
    Array.from({ length: width * height }, (_, at) => color(at % width, Math.floor(at / width))).flat(),
  ),
});
const plain = picture(7, 5, () => [9, 8, 7]);
/** One pixel at (2, 1), and one at (4, 3). */
const spotted = picture(7, 5, (x, y) => ((x === 2 && y === 1) || (x === 4 && y === 3) ? [1, 2, 3] : [9, 8, 7]));

function chunksOf(png: Uint8Array): { readonly name: string; readonly data: DataView }[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const found = [];
  for (let at = signature.length; at < png.length; at += view.getUint32(at) + 12) {
    const name = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    found.push({ name, data: new DataView(png.buffer, png.byteOffset + at + 8, view.getUint32(at)) });
  }
  return found;
}

test('a viewer that does not know animations shows the first picture', () => {
  expect(
    decode(
      animated([
        { pixels: spotted, ms: 50 },
        { pixels: plain, ms: 50 },
      ]),
    ),
  ).toEqual(spotted);
});

test('a frame has the rectangle that it changes', () => {
  expect(changed(plain, spotted)).toEqual({ left: 2, top: 1, wide: 3, high: 3 });
  const chunks = chunksOf(
    animated([
      { pixels: plain, ms: 50 },
      { pixels: spotted, ms: 700 },
    ]),
  );
  expect(chunks.map(({ name }) => name)).toEqual(['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND']);
  const second = chunks.filter(({ name }) => name === 'fcTL')[1]?.data;
  expect([0, 4, 8, 12, 16].map((at) => second?.getUint32(at))).toEqual([1, 3, 3, 2, 1]);
  expect([20, 22].map((at) => second?.getUint16(at))).toEqual([700, 1000]);
});

test('a picture that is repeated is one frame that lasts longer', () => {
  const same = { ...plain, rgb: plain.rgb.slice() };
  const chunks = chunksOf(
    animated([
      { pixels: plain, ms: 50 },
      { pixels: same, ms: 70 },
    ]),
  );
  expect(chunks.find(({ name }) => name === 'acTL')?.data.getUint32(0)).toBe(1);
  expect(chunks.find(({ name }) => name === 'fcTL')?.data.getUint16(20)).toBe(120);
});

test('every filter of a row is undone, and alpha left out', () => {
  const rows = [
    [0, 10, 20, 30, 255, 11, 22, 33, 255],
    [1, 10, 20, 30, 255, 1, 2, 3, 0],
    [2, 1, 1, 1, 0, 2, 2, 2, 0],
    [3, 5, 5, 5, 127, 5, 5, 5, 0],
    [4, 1, 1, 1, 0, 1, 1, 1, 0],
  ];
  const head = chunk('IHDR', Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 5, 8, 6, 0, 0, 0));
  const data = chunk('IDAT', deflateSync(Uint8Array.from(rows.flat())));
  const { rgb } = decode(Buffer.concat([signature, head, data, chunk('IEND', new Uint8Array())]));
  expect([...rgb]).toEqual([
    ...[10, 20, 30, 11, 22, 33],
    ...[10, 20, 30, 11, 22, 33],
    ...[11, 21, 31, 13, 24, 35],
    ...[10, 15, 20, 16, 24, 32],
    ...[11, 16, 21, 17, 25, 33],
  ]);
});
