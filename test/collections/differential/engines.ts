/** Requests, to all engines at a time. */

import { expect } from 'bun:test';
import { SQL } from 'bun';
import type { Collection } from '../../../src/domain/record/collection.ts';
import { declared } from '../../support/data/library.ts';
import type { EngineUnderTest } from '../../support/servers/engines.ts';
import { migrate } from '../../support/servers/migrate.ts';
import { startServer, type TestServer } from '../../support/servers/server.ts';
import { type Expected, Model, type Problem } from './model.ts';
import type { File } from './types.ts';

type Engine = { readonly name: string; readonly database: string; server: TestServer };
type Answer = { readonly status: number; readonly text: string; readonly tag: string | null };
type Request = {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** Replaces times in CSV. */
  readonly comparable?: (text: string) => string;
};

/** How often each status, or type of failure, was answered. */
export const seen = new Map<string, number>();

const withoutTimes = (text: string) => text.replaceAll(/"(created_at|updated_at|at)":"[^"]*"/g, '"$1":"-"');
const cursorAtEnd = /"next_cursor":"([^"]*)"(,"total":\d+)?\}$/;

export class Engines {
  readonly #asked: string[] = [];
  collections: readonly Collection[];

  constructor(
    readonly all: readonly Engine[],
    readonly model: Model,
  ) {
    this.collections = collectionsOf(model.file);
  }

  static async start(engines: readonly EngineUnderTest[], file: File): Promise<Engines> {
    const starting = engines.map(async ([name, newUrl]) => {
      const database = await newUrl();
      return { name, database, server: await startServer({ database, collections: collectionsOf(file) }) };
    });
    return new Engines(await Promise.all(starting), new Model(file));
  }

  async evolve(file: File): Promise<void> {
    this.#asked.push(`RESTART with ${shown(file)}`);
    await Promise.all(
      this.all.map(async (engine) => {
        await engine.server.stop();
        await migrate(engine.database, collectionsOf(file));
        engine.server = await startServer({ database: engine.database, collections: collectionsOf(file) });
      }),
    );
    this.model.evolve(file);
    this.collections = collectionsOf(file);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map(({ server }) => server.stop()));
  }

  /** What failed, with all that led to it. */
  explain(error: unknown, file: File): Error {
    const message = error instanceof Error ? error.message : String(error);
    return new Error(`${message}\n\n${shown(file)}\n\n${this.#asked.join('\n')}\n`, { cause: error });
  }

  /** Returns the cursor of each engine, if there is one. `path` may depend on the place of the engine. */
  async ask(expected: Expected, path: string | ((at: number) => string), request: Request = {}) {
    const { method = 'GET', body, headers, comparable: cleaned = withoutTimes } = request;
    const target = typeof path === 'string' ? path : path(0);
    this.#asked.push(`${method} ${target} ${body ?? ''}`.slice(0, 5000));
    const answers = await Promise.all(
      this.all.map(async ({ server }, at) => {
        const url = `${server.url}/api/v2/${typeof path === 'string' ? path : path(at)}`;
        const answer = await fetch(url, {
          method,
          headers: { 'Accept-Encoding': 'identity', ...headers },
          ...(body === undefined ? {} : { body }),
        });
        const { status } = answer;
        return { status, text: await answer.text(), tag: answer.headers.get('ETag') };
      }),
    );
    const comparable = answers.map(({ status, text, tag }): Answer => {
      const same = cleaned(text).replace(cursorAtEnd, '"next_cursor":"-"$2}');
      return { status, text: same, tag: expected.tag === undefined ? null : tag };
    });
    const [first = { status: 0, text: '', tag: null }] = comparable;
    const names = this.all.map(({ name }) => name);
    expect(Object.fromEntries(names.map((name, at) => [name, comparable[at]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, first])),
    );
    this.#check(first, expected);
    return { cursors: answers.map(({ text }) => cursorAtEnd.exec(text)?.[1] ?? ''), text: first.text };
  }

  #check({ status, text, tag }: Answer, { types, facts, status: wanted, text: whole, tag: version }: Expected): void {
    const problem: Problem = status >= 400 ? JSON.parse(text) : { type: '' };
    const type = problem.type.replace('/problems/', '');
    seen.set(type || String(status), (seen.get(type || String(status)) ?? 0) + 1);
    const isType = types === undefined ? type === '' : types.includes(type);
    expect({
      status,
      text: whole === undefined ? undefined : text,
      tag: version === undefined ? undefined : tag,
      type: isType ? types : type,
    }).toEqual({ status: wanted, text: whole, tag: version, type: types });
    if (facts?.(problem) === false) throw new Error(`The model does not agree with ${text}`);
  }

  /** PostgreSQL does not give out the numbers again that it gave to an undone bulk; the answers should be comparable. */
  async renumber(name: string): Promise<void> {
    const { database } = this.all.find((engine) => engine.name === 'postgres') ?? {};
    if (database === undefined) return;
    await using sql = new SQL({ url: database, max: 1 });
    for (const [table, last] of [
      [name, this.model.table(name).last],
      ['changes', this.model.feed.length],
    ] as const)
      await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, 'seq'), ${Math.max(last, 1)}, ${last > 0})`;
  }

  /** Every change, in order. */
  async feed(): Promise<void> {
    const all = this.all.map(async ({ server }) => {
      let text = '';
      for (let after = 0; ; ) {
        const page = await (await fetch(`${server.url}/api/v2/changes?limit=1000&after=${after}`)).text();
        const [, data = '', last = ''] = /^\{"data":\[(.*)\],"last":(\d+)\}$/s.exec(page) ?? [];
        if (data === '') return withoutTimes(text).split('\n').slice(1);
        text += `\n${data.replaceAll(/,(?=\{"seq":\d+,"type":")/g, '\n')}`;
        after = Number(last);
      }
    });
    for (const lines of await Promise.all(all)) expect(lines).toEqual(this.model.feed);
  }
}

/** Without the collections of the contract. */
function collectionsOf(file: File) {
  return declared(file).filter(({ name }) => Object.hasOwn(file, name));
}

function shown(file: File): string {
  return JSON.stringify(file, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
