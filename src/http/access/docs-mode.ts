/** Who may see the collections and their fields: everybody; callers of scope `admin`, and others those that they may read; or nobody. */
import type { Route } from '../route/route.ts';

export const docsModes = ['on', 'admin', 'off'] as const;
export type DocsMode = (typeof docsModes)[number];

/** The routes that show them, as the mode has them. */
export function describing(mode: DocsMode, routes: readonly Route[]): readonly Route[] {
  if (mode === 'off') return [];
  if (mode === 'on') return routes;
  // A route of collections shows each caller those that its key may read: clients need their types.
  return routes.map((route) => ({ ...route, access: route.collection === undefined ? 'admin' : 'key' }));
}
