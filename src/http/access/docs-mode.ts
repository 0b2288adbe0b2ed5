/** Who may see the collections and their fields: everybody, callers of scope `admin`, or nobody. */
import type { Route } from '../route/route.ts';

export const docsModes = ['on', 'admin', 'off'] as const;
export type DocsMode = (typeof docsModes)[number];

/** The routes that show them, as the mode has them. */
export function describing(mode: DocsMode, routes: readonly Route[]): readonly Route[] {
  if (mode === 'off') return [];
  return mode === 'on' ? routes : routes.map((route) => ({ ...route, access: 'admin' }));
}
