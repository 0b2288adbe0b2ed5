/** The engine is a URL. */
import { resolve } from 'node:path';
import type { Collection } from '../domain/collection.ts';
import type { Store } from '../domain/store.ts';
import { openFile, openMemory } from './sqlite/store.ts';

/** Where the records are kept, as a checked value. */
export type Engine = { readonly kind: 'memory' } | { readonly kind: 'sqlite'; readonly path: string };

export const engineForms = 'sqlite:PATH or memory:';

/** Undefined when the URL names no engine. */
export function parseEngine(url: string): Engine | undefined {
  if (url === 'memory:') return { kind: 'memory' };
  // After `//` a host would follow, and a file has none: `sqlite:///path` is absolute, `sqlite://path` is a mistake.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/)[^\0]+)$/.exec(url)?.[1];
  return path === undefined || path.endsWith('/') || path === ':memory:' ? undefined : { kind: 'sqlite', path };
}

/** `cacheBytes` bounds what is kept in memory beside the database; one that is in memory anyway is not bounded by it. */
export function openEngine(engine: Engine, collections: readonly Collection[], cacheBytes: number): Store {
  return engine.kind === 'memory' ? openMemory(collections) : openFile(resolve(engine.path), collections, cacheBytes);
}
