/** Which rows are in view, and how much space stands for the others. */
export type Scroll = {
  /** How far the frame is scrolled, and the height of its view, in pixels. */
  readonly top: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly length: number;
};

/** Beyond some height browsers draw nothing: a longer list is scrolled faster than the hand moves. */
const mostPixels = 15_000_000;
/** At least this many rows before and after the view are drawn, for a quick hand. */
const extra = 8;
/** The rows that are drawn begin and end with a multiple of this. */
const step = 8;

export type Window = {
  /** The rows that are drawn, and those of them that are seen; the last is not included. */
  readonly first: number;
  readonly last: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** The space for the rows before and after, in pixels. */
  readonly before: number;
  readonly after: number;
};

/** The height of the list on the page, and how many pixels of rows pass for one of the scroll bar. */
function scaleOf({ height, rowHeight, length }: Omit<Scroll, 'top'>) {
  const whole = length * rowHeight;
  const tall = Math.min(whole, mostPixels);
  return { tall, scale: tall <= height ? 1 : (whole - height) / (tall - height) };
}

/** How far the frame has to be scrolled to show this row: not at all if it is in view. */
export function scrolledTo(index: number, scroll: Scroll): number {
  const { scale } = scaleOf(scroll);
  const { top, height, rowHeight } = scroll;
  const [place, start] = [top * scale, index * rowHeight];
  if (start < place) return start / scale;
  return start + rowHeight > place + height ? (start + rowHeight - height) / scale : top;
}

/** How far the frame has to be scrolled for the same rows to be seen after others have come before them, or gone. */
export function scrolledBy(rows: number, scroll: Scroll): number {
  return (rows * scroll.rowHeight) / scaleOf(scroll).scale;
}

export function windowOf(scroll: Scroll): Window {
  const { top, height, rowHeight, length } = scroll;
  const { tall, scale } = scaleOf(scroll);
  const place = Math.min(top, Math.max(0, tall - height)) * scale;
  const firstSeen = Math.floor(place / rowHeight);
  const lastSeen = Math.min(length, Math.ceil((place + height) / rowHeight));
  const first = Math.max(0, Math.floor((firstSeen - extra) / step) * step);
  const last = Math.min(length, Math.ceil((lastSeen + extra) / step) * step);
  // Where the first row is drawn, so that the seen ones are at their place in the view.
  const before = scale === 1 ? first * rowHeight : Math.max(0, top - (place - first * rowHeight));
  const after = Math.max(0, tall - before - (last - first) * rowHeight);
  return { first, last, firstSeen, lastSeen, before, after };
}
