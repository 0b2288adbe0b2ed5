/** Sends transactions to a server that lends books. */
import { lending } from '../data/lending.ts';
import { migratedEngines } from './engines.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

export const everyEngine = () => [['memory', () => 'memory:'] as const, ...migratedEngines()];

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
};

export type Lending = TestServer & {
  get(path: string): Promise<Answer>;
  send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Of these operations. A text is sent as it is. */
  transact(operations: readonly unknown[] | string, more?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Adds a record; returns its id. */
  create(collection: string, record: object): Promise<number>;
  /** Every record of every collection, and the number of the last change. */
  everything(): Promise<string>;
};

export async function startLending(options: ServerOptions): Promise<Lending> {
  const server = await startServer({ collections: lending, ...options });
  const send: Lending['send'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('Content-Type')?.includes('json') ?? false;
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  const get = (path: string) => send('GET', path, undefined);
  return {
    ...server,
    get,
    send,
    transact: (operations, more = {}, headers = {}) =>
      send('POST', 'transactions', typeof operations === 'string' ? operations : { operations, ...more }, headers),
    async create(collection, record) {
      const { status, body, text } = await send('POST', collection, record);
      if (status !== 201) throw new Error(text);
      return body.id as number;
    },
    async everything() {
      const names = [...lending.map(({ name }) => name), 'changes'];
      return (await Promise.all(names.map(async (name) => (await get(`${name}?limit=1000`)).text))).join('\n');
    },
  };
}
