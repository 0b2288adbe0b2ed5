/** Which screen an address shows. */
import type { FunctionComponent } from 'preact';
import type { Collection } from '../api/declarations.ts';
import { Home } from './home.tsx';
import { tools } from './tools.ts';

export type Screen = {
  readonly title: string;
  readonly View: FunctionComponent;
  /** A screen with another key starts anew. */
  readonly key: string;
};

/** Undefined if there is none. */
export function screenOf(path: readonly string[], _collections: readonly Collection[]): Screen | undefined {
  const [first, second] = path;
  if (first === undefined) return { title: 'Home', View: Home, key: '' };
  if (first !== '-' || path.length !== 2) return undefined;
  const tool = tools.find(({ name }) => name === second);
  return tool === undefined ? undefined : { title: tool.title, View: tool.View, key: tool.name };
}
