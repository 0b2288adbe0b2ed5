/** One client: sends requests to any server and records each with its answer. */
import { Random } from '../../../test/support/data/random.ts';
import { Connection, type ReceivedReply, type Sending } from './connection.ts';
import type { Outcome, Request } from './operation.ts';
import type { Exchange } from './recorder.ts';
import type { Shop } from './shop.ts';

/** After a request without an answer: the server may be down, and faster requests would show nothing. */
const pauseWhenDownMs = 100;

export class Client {
  readonly random: Random;
  /** Idle connections, by port. */
  readonly #kept = new Map<number, Connection>();
  /** ETags and the answers that they came with, by path. */
  readonly held = new Map<string, { readonly tag: string; readonly shown: readonly string[] }>();

  constructor(
    readonly name: string,
    readonly shop: Shop,
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  close(): void {
    for (const connection of this.#kept.values()) connection.close();
    this.#kept.clear();
  }

  async exchange(sending: Sending, port = this.random.pick(this.shop.ports())): Promise<Exchange> {
    const door = `${sending.method} ${sending.path.slice(0, 100)}`;
    const invoked = performance.now();
    const kept = this.#kept.get(port);
    this.#kept.delete(port);
    // Another connection may reach another worker.
    const connection = kept?.open && this.random.chance(0.95) ? kept : await Connection.to(port);
    if (connection !== kept) kept?.close();
    if (connection === undefined) {
      await Bun.sleep(pauseWhenDownMs);
      return { door, invoked, answered: performance.now(), sent: false, reply: undefined };
    }
    const reply = await connection.ask(sending);
    const answered = performance.now();
    if (reply === undefined) await Bun.sleep(pauseWhenDownMs);
    if (this.#kept.has(port)) connection.close();
    else this.#kept.set(port, connection);
    return { door, invoked, answered, sent: true, reply };
  }

  record(exchange: Exchange, request: Request, shown: (reply: ReceivedReply) => readonly string[]): Outcome {
    return this.shop.recorder.add(this.name, exchange, request, shown);
  }

  /** Sends a request and records its outcome. */
  async ask(sending: Sending, request: Request, shown: (reply: ReceivedReply) => readonly string[]): Promise<Outcome> {
    return this.record(await this.exchange(sending), request, shown);
  }
}
