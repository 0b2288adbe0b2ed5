/** The address bar is the state: every screen is a link, and the back button undoes a step. */
import { signal } from '@preact/signals';

export type Address = {
  /** The segments after `/console`, decoded; one that cannot be decoded is as it is. */
  readonly path: readonly string[];
  /** The query without the question mark, as it is in the address bar. */
  readonly search: string;
};

function read(): Address {
  const segments = location.pathname.split('/').slice(2).filter(Boolean);
  return { path: segments.map(decoded), search: location.search.slice(1) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const address = signal(read());

/** Asked before the address changes; false keeps the person where unsaved work is. */
export type Guard = (to: string) => boolean;
let guard: Guard | undefined;

/** Returns a function that removes it. */
export function guardAddress(ask: Guard): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** `replace` leaves no step behind, as for every letter of a filter. */
export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  if (guard !== undefined && !guard(to)) return;
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  address.value = read();
}

/** The address of a screen, with its segments encoded. */
export function hrefOf(path: readonly string[], search = ''): string {
  return `/${['console', ...path].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Links within the console do not load the page again. */
export function followLinks(): void {
  let current = location.href;
  window.addEventListener('popstate', () => {
    if (guard !== undefined && !guard(location.href)) {
      history.pushState(null, '', current);
      return;
    }
    address.value = read();
  });
  address.subscribe(() => {
    current = location.href;
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target !== '' || link.download !== '')
      return;
    if (link.origin !== location.origin || !/^\/console(\/|$)/.test(link.pathname) || link.hash !== '') return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
