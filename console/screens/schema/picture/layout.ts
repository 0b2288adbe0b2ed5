/** Where the boxes and lines of the picture are: what refers is to the left of what it refers to, as far as there is no cycle. */

export type Shown = { readonly name: string; readonly rows: readonly Row[] };
export type Row = { readonly text: string; readonly to?: string | undefined };

export type Box = Shown & { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
/** `path` is that of an SVG path. */
export type Line = { readonly from: string; readonly to: string; readonly path: string };
export type Layout = {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
};

export const headHeight = 30;
export const rowHeight = 20;
const [columnGap, boxGap, edge, characterWidth] = [80, 26, 14, 7.8];
const widths = { least: 130, most: 260 };
/** Boxes without a line are below the others, in rows. */
const mostInRow = 4;

export function layOut(all: readonly Shown[]): Layout {
  const names = new Set(all.map(({ name }) => name));
  const references = all.flatMap(({ name, rows }) =>
    rows.flatMap(({ to }, row) => (to !== undefined && names.has(to) ? [{ from: name, to, row }] : [])),
  );
  const connected = new Set(references.flatMap(({ from, to }) => [from, to]));
  const columns = columnsOf(
    all.filter(({ name }) => connected.has(name)),
    references,
  );
  const boxes: Box[] = [];
  let x = edge;
  for (const column of columns) {
    const width = Math.max(...column.map(widthOf));
    let y = edge;
    for (const one of column) {
      const height = heightOf(one);
      boxes.push({ ...one, x, y, width, height });
      y += height + boxGap;
    }
    x += width + columnGap;
  }
  placeAlone(
    all.filter(({ name }) => !connected.has(name)),
    boxes,
  );
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const lines = references.flatMap(({ from, to, row }) => {
    const [start, end] = [byName.get(from), byName.get(to)];
    return start === undefined || end === undefined ? [] : [{ from, to, path: pathOf(start, end, row) }];
  });
  return {
    boxes,
    lines,
    // A line to the left leaves at the right.
    width: Math.max(0, ...boxes.map((box) => box.x + box.width)) + edge * 3,
    height: Math.max(0, ...boxes.map((box) => box.y + box.height)) + edge,
  };
}

type Reference = { readonly from: string; readonly to: string; readonly row: number };

/** The longest way from a collection that none refers to decides; a reference that closes a cycle does not count. */
function columnsOf(all: readonly Shown[], references: readonly Reference[]): Shown[][] {
  const depths = new Map<string, number>();
  function visit(name: string, depth: number, trail: readonly string[]): void {
    if (trail.includes(name) || (depths.get(name) ?? -1) >= depth) return;
    depths.set(name, depth);
    for (const { from, to } of references) if (from === name) visit(to, depth + 1, [...trail, name]);
  }
  const referredTo = new Set(references.filter(({ from, to }) => from !== to).map(({ to }) => to));
  for (const { name } of all) if (!referredTo.has(name)) visit(name, 0, []);
  // Each of them is in a cycle.
  for (const { name } of all) if (!depths.has(name)) visit(name, 0, []);
  const columns: Shown[][] = [];
  for (const one of all) {
    const depth = depths.get(one.name) ?? 0;
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(one);
  }
  for (const [place, column] of columns.entries()) sortByNeighbours(column, columns[place - 1] ?? [], references);
  return columns.filter((column) => column.length > 0);
}

/** Near what refers to them, so that few lines cross. */
function sortByNeighbours(column: Shown[], before: readonly Shown[], references: readonly Reference[]): void {
  const place = new Map(before.map(({ name }, at) => [name, at]));
  const middle = new Map(
    column.map(({ name }, own) => {
      const found = references.flatMap(({ from, to }) => (to === name ? (place.get(from) ?? []) : []));
      return [name, found.length === 0 ? own : found.reduce((sum, at) => sum + at, 0) / found.length] as const;
    }),
  );
  column.sort((one, other) => (middle.get(one.name) ?? 0) - (middle.get(other.name) ?? 0));
}

function placeAlone(alone: readonly Shown[], boxes: Box[]): void {
  let y = Math.max(edge, ...boxes.map((box) => box.y + box.height + boxGap));
  for (let first = 0; first < alone.length; first += mostInRow) {
    const row = alone.slice(first, first + mostInRow);
    let x = edge;
    for (const one of row) {
      const width = widthOf(one);
      boxes.push({ ...one, x, y, width, height: heightOf(one) });
      x += width + boxGap;
    }
    y += Math.max(...row.map(heightOf)) + boxGap;
  }
}

function widthOf({ name, rows }: Shown): number {
  const longest = Math.max(name.length + 1, ...rows.map(({ text }) => text.length));
  return Math.ceil(Math.min(widths.most, Math.max(widths.least, longest * characterWidth + 24)));
}

const heightOf = ({ rows }: Shown) => headHeight + rows.length * rowHeight + 8;

/** Of a text in a box. */
export const charactersIn = ({ width }: Box) => Math.floor((width - 23) / characterWidth);

function pathOf(start: Box, end: Box, row: number): string {
  const y = start.y + headHeight + (row + 0.5) * rowHeight;
  const target = end.y + headHeight / 2;
  const right = start.x + start.width;
  if (end.x > right) {
    const bend = (end.x - right) / 2;
    return `M${right} ${y}C${right + bend} ${y} ${end.x - bend} ${target} ${end.x} ${target}`;
  }
  // To itself, or back to the left: out at the right, and in at the right.
  const out = Math.max(right, end.x + end.width) + 32;
  return `M${right} ${y}C${out} ${y} ${out} ${target} ${end.x + end.width} ${target}`;
}
