/** The part of the list that is drawn. It moves in steps, so that most scrolling draws nothing anew. */
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Rows } from './rows.ts';
import { type Scroll, scrolledBy, type Window, windowOf } from './window.ts';

export type UseWindow = {
  readonly frame: { readonly current: HTMLElement | null };
  readonly rows: Rows;
  readonly rowHeight: number;
  /** The height of the head, which covers the top of the frame. */
  readonly headHeight: number;
  readonly inView: Signal<readonly [first: number, last: number]>;
};

export function useWindow({ frame, rows, rowHeight, headHeight, inView }: UseWindow) {
  const drawn = useSignal<Window>(windowOf({ top: 0, height: 800, rowHeight, length: rows.length }));
  const changes = rows.changes.value;
  /** The first row that is seen: it stays where it is while rows come and go before it. */
  const anchor = useRef<{ readonly rows: Rows; readonly id: string; readonly index: number } | undefined>(undefined);

  function scroll(): Scroll {
    const { scrollTop: top = 0, clientHeight = 800 } = frame.current ?? {};
    return { top, height: Math.max(0, clientHeight - headHeight), rowHeight, length: rows.length };
  }

  function stay(): void {
    const { current: element } = frame;
    const { current: seen } = anchor;
    const index = seen?.rows === rows ? rows.indexOf(seen.id) : undefined;
    // At the top, the newest are seen.
    if (element === null || seen === undefined || index === undefined || element.scrollTop === 0) return;
    if (index !== seen.index) element.scrollTop += scrolledBy(index - seen.index, scroll());
  }

  function look(): void {
    stay();
    const next = windowOf(scroll());
    const [first, last] = [next.firstSeen, Math.min(next.lastSeen, rows.known)];
    const id = rows.at(first)?.id;
    anchor.current = id === undefined ? undefined : { rows, id, index: first };
    if (inView.value[0] !== first || inView.value[1] !== last) inView.value = [first, last];
    const { before, after } = drawn.value;
    if (
      next.first === drawn.value.first &&
      next.last === drawn.value.last &&
      next.before === before &&
      next.after === after
    )
      return;
    drawn.value = next;
    rows.show(next.first, next.last);
  }

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    // The observer calls it at once, when the page has its layout.
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [rows, rowHeight]);
  useLayoutEffect(() => {
    // A look makes the browser lay out the page, and the first request for rows would wait for that.
    if (rows.isStarted) look();
  }, [rows, rowHeight, changes]);
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
  }, [rows]);
  return { drawn: drawn as ReadonlySignal<Window>, scroll };
}
