/** A client that moves money: it retries every transaction with its Idempotency-Key until the outcome is known. */
import type { Client } from '../history/clients/client.ts';
import type { ReceivedReply, Sending } from '../history/clients/connection.ts';
import { unavailable } from '../history/clients/recorder.ts';
import type { Bank } from './bank.ts';
import { anyMove, bodyOf, type Move } from './move.ts';

/** Statuses that say that nothing was changed, because of what is stored. */
const refusals = [404, 409, 412];
const longestPauseMs = 100;

type Results = {
  readonly results: readonly { readonly id?: number; readonly version?: number }[];
  readonly first_change: number;
  readonly last_change: number;
};
type Outcome = ReceivedReply | 'refused' | 'unknown';

export async function moveMoney(client: Client, bank: Bank): Promise<void> {
  const { random, shop } = client;
  while (!bank.stopped) {
    await oneMove(client, bank);
    await Bun.sleep(random.between(0, shop.pauseMs));
  }
  client.close();
}

async function oneMove(client: Client, bank: Bank): Promise<void> {
  const { random } = client;
  const move = anyMove(random, bank.nextNumber(), (account) => bank.versionOf(account));
  const body = bodyOf(move, random);
  const sending = transaction(`move-${move.number}`, body);
  const outcome = await settled(client, bank, sending);
  bank.count(typeof outcome === 'string' ? outcome : 'answered');
  if (typeof outcome === 'string') {
    bank.sent.push({ move, outcome });
    return;
  }
  const done = JSON.parse(outcome.body) as Results;
  bank.lastAnswered = Math.max(bank.lastAnswered, done.last_change);
  bank.sent.push({ move, outcome: 'answered', firstChange: done.first_change, versions: versionsOf(done, body) });
  if (random.chance(0.1)) await repeat(client, bank, sending, outcome.body);
  if (random.chance(0.03)) await reuse(client, bank, move);
}

const transaction = (key: string, body: string): Sending => ({
  method: 'POST',
  path: '/api/v2/transactions',
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
  body,
});

/** The versions after the sums, in their order. */
function versionsOf({ results }: Results, body: string): number[] {
  const { operations } = JSON.parse(body) as { operations: readonly { op: string }[] };
  return results.flatMap(({ version = 0 }, index) => (operations[index]?.op === 'add' ? [version] : []));
}

/** Sends the same until it is answered. An attempt without an answer may still take effect after a refusal of the next. */
async function settled(client: Client, bank: Bank, sending: Sending): Promise<Outcome> {
  let isLost = false;
  for (;;) {
    const { sent, reply } = await client.exchange(sending);
    bank.threads.add(reply?.headers.get('x-request-id'));
    if (reply === undefined) isLost ||= sent;
    else if (reply.status === 200) return reply;
    else if (refusals.includes(reply.status)) return isLost ? 'unknown' : 'refused';
    else if (reply.status === 503) isLost ||= unavailable(reply).kind === 'unknown';
    else {
      bank.complain(`unexpected answer: ${reply.status} ${reply.body.slice(0, 300)} to ${sending.body}`);
      return 'unknown';
    }
    if (isLost && client.random.chance(0.1)) return 'unknown';
    bank.count('retried');
    await Bun.sleep(client.random.between(0, longestPauseMs));
  }
}

/** The same request again gets the same answer. */
async function repeat(client: Client, bank: Bank, sending: Sending, first: string): Promise<void> {
  const again = await settled(client, bank, sending);
  if (again === 'unknown') return;
  if (again === 'refused') bank.complain(`repeated: refused after it was answered: ${sending.body}`);
  else if (again.body !== first || again.headers.get('idempotent-replayed') !== 'true')
    bank.complain(`repeated: answered ${again.body} after ${first}: ${sending.body}`);
  else bank.count('repeated');
}

/** The number of a move is unique: another transaction with it fails, at whatever place its record has. */
async function reuse(client: Client, bank: Bank, { number }: Move): Promise<void> {
  const { random } = client;
  const body = bodyOf({ number, from: 1, to: 2, cents: 1 }, random);
  const outcome = await settled(client, bank, transaction(`again-${bank.nextNumber()}`, body));
  if (typeof outcome !== 'string') bank.complain(`doubled: move ${number} is answered twice: ${outcome.body}`);
}
