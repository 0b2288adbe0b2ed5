/** Pixels of a PNG as Chromium writes it (8 bits, RGB or RGBA, not interlaced), and rows of pixels as PNG data. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** RGB, three bytes a pixel, row after row. */
export type Pixels = { readonly width: number; readonly height: number; readonly rgb: Uint8Array };

export const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);

export function decode(png: Uint8Array): Pixels {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = signature.length; at < png.length; at += view.getUint32(at) + 12)
    if (nameAt(png, at) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const [bits, color, interlace] = [png[24], png[25], png[28]];
  if (bits !== 8 || (color !== 2 && color !== 6) || interlace !== 0) throw new Error('Not a PNG of 8-bit RGB or RGBA.');
  return { width, height, rgb: unfiltered(inflateSync(Buffer.concat(parts)), width, height, color === 2 ? 3 : 4) };
}

/** The compressed rows of a rectangle. */
export function encodeRows({ rgb, width }: Pixels, left: number, top: number, wide: number, high: number): Uint8Array {
  const step = wide * 3;
  const rows = new Uint8Array((step + 1) * high);
  for (let y = 0; y < high; y++) {
    const start = ((top + y) * width + left) * 3;
    // Filter 0: screens are flat, and repeat exactly.
    rows.set(rgb.subarray(start, start + step), y * (step + 1) + 1);
  }
  return deflateSync(rows, { level: 9, memLevel: 9 });
}

export function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

const nameAt = (png: Uint8Array, at: number) => String.fromCharCode(...png.subarray(at + 4, at + 8));

/** Reverses the filter of each row (PNG, section 9), and leaves out alpha. */
function unfiltered(data: Uint8Array, width: number, height: number, size: number): Uint8Array {
  const step = width * size;
  const rgb = new Uint8Array(width * height * 3);
  let above = new Uint8Array(step);
  for (let y = 0; y < height; y++) {
    const start = y * (step + 1);
    const row = data.slice(start + 1, start + 1 + step);
    const undo = filters[data[start] ?? 0];
    if (undo === undefined) throw new Error(`Unknown filter ${data[start]} in a PNG.`);
    for (let x = 0; x < step; x++) {
      const left = x < size ? 0 : (row[x - size] ?? 0);
      const corner = x < size ? 0 : (above[x - size] ?? 0);
      row[x] = (row[x] ?? 0) + undo(left, above[x] ?? 0, corner);
    }
    for (let x = 0; x < width; x++) rgb.set(row.subarray(x * size, x * size + 3), (y * width + x) * 3);
    above = row;
  }
  return rgb;
}

const filters: readonly ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  (left, above, corner) => {
    const [byLeft, byAbove, byCorner] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs) as [
      number,
      number,
      number,
    ];
    if (byLeft <= byAbove && byLeft <= byCorner) return left;
    return byAbove <= byCorner ? above : corner;
  },
];
