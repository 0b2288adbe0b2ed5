/** Databases that follow changed declarations: served, migrated and planned within the process of the tests. */
import { expect } from 'bun:test';
import { StartError } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/domain/store/store.ts';
import { planEngine } from '../../../src/storage/open.ts';
import { declared } from '../data/library.ts';
import { defaults, engineOf } from './engine.ts';
import { migrate as migrateTo } from './migrate.ts';
import { startServer } from './server.ts';

export type Collections = Readonly<Record<string, unknown>>;
export type Json = Readonly<Record<string, unknown>>;
export type Ask = (
  path: string,
  body?: unknown,
  method?: string,
  key?: string,
) => Promise<{ status: number; body: Json; replayed: string | null }>;

export const fields = (of: object) => ({ books: { singular: 'book', fields: of } });

/** Serves while `work` runs. */
export async function serving<Result>(
  database: string,
  file: Collections,
  work: (ask: Ask, store: Store) => Promise<Result>,
): Promise<Result> {
  const server = await startServer({ database, collections: declared(file) });
  const ask: Ask = async (path, body, method = body === undefined ? 'GET' : 'POST', key = undefined) => {
    const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers }),
    });
    const text = await answer.text();
    const replayed = answer.headers.get('Idempotent-Replayed');
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Json), replayed };
  };
  try {
    return await work(ask, server.store);
  } finally {
    await server.stop();
  }
}

export const records = async (ask: Ask, collection = 'books') => {
  const { data } = (await ask(collection)).body as { data: Json[] };
  return data.map(({ created_at: _, updated_at: __, ...record }) => record);
};
export const add = async (ask: Ask, ...all: Json[]) => {
  for (const one of all) expect((await ask('books', one)).status).toBe(201);
};

/** The message of a start that is refused. */
export async function refusal(database: string, file: Collections): Promise<string> {
  const server = await startServer({ database, collections: declared(file) }).catch((error: Error) => error);
  if (!(server instanceof Error)) {
    await server.stop();
    return 'it started';
  }
  expect(server).toBeInstanceOf(StartError);
  return server.message;
}

export const migrate = (database: string, file: Collections, allowed: readonly string[] = []) =>
  migrateTo(database, declared(file), allowed);

export const planned = (database: string, file: Collections, isChecked = true) =>
  planEngine(engineOf(database), declared(file), { ...defaults, onWaiting: () => {} }, isChecked);
export const violated = async (database: string, file: Collections) =>
  (await planned(database, file)).violations.map(({ text }) => text);
export const plan = async (database: string, file: Collections) =>
  (await planned(database, file, false)).changes.flatMap(({ steps }) =>
    steps.map(({ text, risk }) => `${risk}: ${text}`),
  );
