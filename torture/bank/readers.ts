/** Clients that read the accounts in every way. */
import type { Client } from '../history/clients/client.ts';
import type { ReceivedReply } from '../history/clients/connection.ts';
import { type AccountBody, accountCount, centsOf, type MoveBody, totalCents } from './accounts.ts';
import type { Bank } from './bank.ts';
import { sightOf } from './sights.ts';

type Page<Body> = { readonly data: readonly Body[]; readonly next_cursor: string | null };
type ExpandedMove = MoveBody & { readonly expanded: { readonly from: AccountBody; readonly to: AccountBody } };

export async function readAccounts(client: Client, bank: Bank): Promise<void> {
  const { random, shop } = client;
  while (!bank.stopped) {
    await random.weighted<(client: Client, bank: Bank) => Promise<unknown>>([
      [3, list],
      [3, pages],
      [2, exported],
      [1, table],
      [4, record],
      [3, moves],
    ])(client, bank);
    await Bun.sleep(random.between(0, shop.pauseMs));
  }
  client.close();
}

/** Undefined if the servers do not answer, as during a fault. */
export async function read(client: Client, bank: Bank, path: string, accept = 'application/json') {
  const { reply } = await client.exchange({ method: 'GET', path, headers: { Accept: accept } });
  bank.threads.add(reply?.headers.get('x-request-id'));
  if (reply?.status === 200) return reply;
  if (reply !== undefined && reply.status !== 503)
    bank.complain(`unexpected answer: ${reply.status} ${reply.body.slice(0, 300)} to GET ${path}`);
  return undefined;
}

/** Records what an answer shows of accounts: of all of them, if `isWhole`. */
async function look(
  client: Client,
  bank: Bank,
  { path, accept, isWhole }: { readonly path: string; readonly accept?: string; readonly isWhole: boolean },
  accountsIn: (reply: ReceivedReply) => readonly AccountBody[],
): Promise<ReceivedReply | undefined> {
  const after = bank.lastAnswered;
  const reply = await read(client, bank, path, accept);
  if (reply === undefined) return undefined;
  const accounts = accountsIn(reply);
  for (const account of accounts) bank.learn(account);
  bank.sights.push(sightOf(`GET ${path}`, after, accounts));
  if (!isWhole) return reply;
  const sum = accounts.reduce((all, { balance }) => all + centsOf(balance), 0);
  if (accounts.length !== accountCount || sum !== totalCents)
    bank.complain(`sum: GET ${path} has ${accounts.length} accounts with ${sum} cents`);
  return reply;
}

const inPage = ({ body }: ReceivedReply) => (JSON.parse(body) as Page<AccountBody>).data;

async function list(client: Client, bank: Bank): Promise<void> {
  const queries = ['limit=1000', 'limit=1000&sort=-balance', 'limit=100&balance[gte]=0', 'limit=1000&count=exact'];
  const path = `/api/v2/accounts?${client.random.pick(queries)}`;
  if ((await look(client, bank, { path, isWhole: true }, inPage)) !== undefined) bank.count('lists');
}

/** Each page is of one moment, and the next one of a later moment. No account is left out, whatever changes meanwhile. */
async function pages(client: Client, bank: Bank): Promise<void> {
  const path = `/api/v2/accounts?limit=${7 + client.random.below(40)}`;
  const seen: number[] = [];
  for (let cursor = ''; ; ) {
    const reply = await look(client, bank, { path: path + cursor, isWhole: false }, inPage);
    if (reply === undefined) return;
    bank.count('pages');
    const { data, next_cursor } = JSON.parse(reply.body) as Page<AccountBody>;
    for (const { id } of data) seen.push(id);
    if (next_cursor === null) break;
    cursor = `&cursor=${next_cursor}`;
  }
  if (new Set(seen).size !== accountCount || seen.length !== accountCount)
    bank.complain(`pages: GET ${path} has ${seen.length} accounts on all pages`);
}

async function exported(client: Client, bank: Bank): Promise<void> {
  const path = '/api/v2/accounts/export';
  const given = { path, accept: 'application/x-ndjson', isWhole: true };
  const reply = await look(client, bank, given, ({ body }) =>
    body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  if (reply !== undefined) bank.count('exports');
}

/** As CSV, with the columns id, balance and version. */
async function table(client: Client, bank: Bank): Promise<void> {
  const given = { path: '/api/v2/accounts?fields=id,balance,version', accept: 'text/csv', isWhole: true };
  const reply = await look(client, bank, given, ({ body }) =>
    body
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const [id, balance = '', version] = line.split(',');
        return { id: Number(id), balance, version: Number(version) };
      }),
  );
  if (reply !== undefined) bank.count('exports');
}

async function record(client: Client, bank: Bank): Promise<void> {
  const path = `/api/v2/accounts/${1 + client.random.below(accountCount)}`;
  const reply = await look(client, bank, { path, isWhole: false }, ({ body }) => [JSON.parse(body)]);
  if (reply !== undefined) bank.count('records');
}

/** A move together with both of its accounts. Each field is expanded by a query of its own, after the moves are read. */
async function moves(client: Client, bank: Bank): Promise<void> {
  const after = bank.lastAnswered;
  const path = '/api/v2/moves?sort=-id&limit=3&expand=from,to';
  const reply = await read(client, bank, path);
  if (reply === undefined) return;
  const { data } = JSON.parse(reply.body) as Page<ExpandedMove>;
  const ids = data.map(({ id }) => id);
  for (const field of ['from', 'to'] as const) {
    const accounts = new Map(data.map(({ expanded }) => [expanded[field].id, expanded[field]]));
    bank.sights.push(sightOf(`GET ${path}`, after, [...accounts.values()], ids));
  }
  bank.count('moves with accounts');
}
