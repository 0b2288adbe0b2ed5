/** Shelf and PocketBase with the same collection of books, and how each spells the same request. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { authorCount, type book, books, pocketbaseAuthors, pocketbaseBooks, shelfFile } from './books.ts';
import { launch, newFolder, type Peer, root, type Server } from './launch.ts';
import { newPocketbase, startPocketbase, synced } from './pocketbase.ts';
import { shelfCommand } from './shelf.ts';

export type BookPeer = Peer & {
  readonly books: string;
  /** The path of the stored book `n`. */
  one(n: number): string;
  /** A book as the peer's body. */
  body(from: ReturnType<typeof book>): object;
  /** The path of the first page of a state's books, the cheapest first; with `from`, of those from this price upwards. */
  page(state: string, from?: string): string;
  /** The records of a page. */
  records(page: unknown): readonly { readonly isbn: string }[];
};

export const pageSize = 30;

async function send(server: Server, path: string, body: string, type = 'application/json'): Promise<void> {
  const headers = { 'Content-Type': type };
  const response = await fetch(server.base + path, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
}

/** Every start gets a copy of a folder that is filled once, at the first start. */
function copies(fill: () => Promise<string>): () => Promise<string> {
  let filled: Promise<string> | undefined;
  return async () => {
    filled ??= fill();
    const folder = newFolder();
    cpSync(await filled, folder, { recursive: true });
    return folder;
  };
}

const authors = Array.from({ length: authorCount }, (_, n) => ({ number: n + 1, name: `Author number ${n + 1}` }));

/** `within` keeps the filled folder. */
export function shelfWithBooks(within: string): BookPeer {
  const config = join(within, 'books.json');
  const open = (folder: string, port: number, removed?: string) =>
    launch([...shelfCommand(`sqlite:${folder}/shelf.db`), '--config', config], port, root, {}, removed);
  const copy = copies(async () => {
    writeFileSync(config, JSON.stringify(shelfFile));
    const folder = join(within, 'shelf');
    mkdirSync(folder);
    const server = await open(folder, freePort());
    const lines = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).join('\n');
    const named = authors.map(({ name }) => ({ name }));
    await send(server, '/api/v2/authors/bulk', lines(named), 'application/x-ndjson');
    await send(server, '/api/v2/books/bulk', lines(books), 'application/x-ndjson');
    await server.stop();
    return folder;
  });
  return {
    name: 'shelf',
    keeps: 'disk',
    setUp: () => undefined,
    start: async (port) => {
      const folder = await copy();
      return open(folder, port, folder);
    },
    books: '/api/v2/books',
    one: (n) => `/api/v2/books/${n}`,
    body: (from) => from,
    page: (state, from) => {
      const lowest = from === undefined ? {} : { 'price[gte]': from };
      return `/api/v2/books?${new URLSearchParams({ state, ...lowest, sort: 'price', limit: String(pageSize) })}`;
    },
    records: (page) => (page as { data: { isbn: string }[] }).data,
  };
}

/** PocketBase's ids are text of 15 characters. */
const idOf = (kind: 'author' | 'book', n: number) => kind + String(n).padStart(15 - kind.length, '0');

/** One peer for each name. */
export function pocketbasesWithBooks(
  within: string,
  synchronous: Readonly<Record<string, 'FULL' | 'NORMAL'>>,
): BookPeer[] {
  const path = '/api/collections/books/records';
  const body = ({ price, author, ...rest }: ReturnType<typeof book>) => ({
    ...rest,
    price: Number(price),
    author: idOf('author', author),
  });
  const copy = copies(async () => {
    const folder = join(within, 'pocketbase');
    mkdirSync(folder);
    const { server, admin } = await newPocketbase(folder, freePort(), {
      program: synced.program,
      env: synced.env('NORMAL'),
    });
    // Shelf runs with its log off; a batch is the fast way to store many.
    const batch = { enabled: true, maxRequests: 500, timeout: 60 };
    await admin('PATCH', '/api/settings', { logs: { maxDays: 0 }, batch });
    const { id } = await admin('POST', '/api/collections', pocketbaseAuthors);
    await admin('POST', '/api/collections', pocketbaseBooks(id));
    const requests = [
      ...authors.map((author) => ({
        url: '/api/collections/authors/records',
        body: { id: idOf('author', author.number), name: author.name },
      })),
      ...books.map((one, n) => ({ url: path, body: { id: idOf('book', n + 1), ...body(one) } })),
    ].map((request) => ({ method: 'POST', ...request }));
    for (let at = 0; at < requests.length; at += batch.maxRequests)
      await send(server, '/api/batch', JSON.stringify({ requests: requests.slice(at, at + batch.maxRequests) }));
    await server.stop();
    return folder;
  });
  return Object.entries(synchronous).map(([name, setting]) => ({
    name,
    keeps: 'disk' as const,
    setUp: synced.setUp,
    start: async (port) => {
      const folder = await copy();
      return startPocketbase(folder, port, { program: synced.program, env: synced.env(setting), removed: folder });
    },
    books: path,
    one: (n) => `${path}/${idOf('book', n)}`,
    body,
    page: (state, from) => {
      const filter = `state='${state}'${from === undefined ? '' : ` && price>=${from}`}`;
      // Shelf counts all matches only if it is asked to, so PocketBase is asked not to.
      return `${path}?${new URLSearchParams({ filter, sort: 'price', perPage: String(pageSize), skipTotal: '1' })}`;
    },
    records: (page) => (page as { items: { isbn: string }[] }).items,
  }));
}
