/** An animated PNG: the first picture whole, then only the rectangle that each one changes. Browsers and GitHub play it. */
import { chunk, encodeRows, type Pixels, signature } from './png.ts';

export type Frame = { readonly pixels: Pixels; readonly ms: number };
export type Box = { readonly left: number; readonly top: number; readonly wide: number; readonly high: number };

/** All frames have the size of the first; the animation is repeated without end. */
export function animated(frames: readonly Frame[]): Uint8Array {
  const shown = withoutRepeats(frames);
  const [first] = shown;
  if (first === undefined) throw new Error('An animation needs a frame.');
  const { width, height } = first.pixels;
  const head = Uint8Array.of(...words(width, height), 8, 2, 0, 0, 0);
  const parts = [signature, chunk('IHDR', head), chunk('acTL', words(shown.length, 0))];
  let sequence = 0;
  shown.forEach(({ pixels, ms }, place) => {
    const before = shown[place - 1]?.pixels;
    const box = before === undefined ? { left: 0, top: 0, wide: width, high: height } : changed(before, pixels);
    const data = encodeRows(pixels, box.left, box.top, box.wide, box.high);
    parts.push(chunk('fcTL', control(sequence++, box, ms)));
    parts.push(before === undefined ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([words(sequence++), data])));
  });
  return Buffer.concat([...parts, chunk('IEND', new Uint8Array())]);
}

/** The smallest rectangle with all differences. */
export function changed({ rgb, width, height }: Pixels, { rgb: next }: Pixels): Box {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 3) {
      if (rgb[at] === next[at] && rgb[at + 1] === next[at + 1] && rgb[at + 2] === next[at + 2]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  return { left, top, wide: right - left + 1, high: bottom - top + 1 };
}

/** A picture that is the same as the one before only lasts longer. */
function withoutRepeats(frames: readonly Frame[]): Frame[] {
  const shown: Frame[] = [];
  for (const frame of frames) {
    const last = shown.at(-1);
    if (last !== undefined && Buffer.compare(last.pixels.rgb, frame.pixels.rgb) === 0)
      shown[shown.length - 1] = { ...last, ms: last.ms + frame.ms };
    else shown.push(frame);
  }
  return shown;
}

/** Place and time of a frame, which replaces what is below it. */
function control(sequence: number, { left, top, wide, high }: Box, ms: number): Uint8Array {
  const [high8, low8] = [ms >> 8, ms & 255];
  return Uint8Array.of(...words(sequence, wide, high, left, top), high8, low8, 1000 >> 8, 1000 & 255, 0, 0);
}

/** 32-bit integers, the highest byte first. */
function words(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, place) => {
    view.setUint32(place * 4, value);
  });
  return bytes;
}
