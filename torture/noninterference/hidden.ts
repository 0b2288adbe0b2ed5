/** Changes of two databases in what no tested caller may see: each gets other values, and records that the other one does not have any more. */
import { admin } from '../../test/support/data/private-library.ts';
import type { Random } from '../../test/support/data/random.ts';
import type { Asked } from '../../test/support/servers/role-server.ts';

export type Pair = readonly [Asked, Asked];

/** The same request at both; the answers must have the same status. */
export async function both(
  pair: Pair,
  method: string,
  path: string,
  bodies: readonly [unknown, unknown],
): Promise<number> {
  const answers = await Promise.all(pair.map((server, side) => server.ask(admin, method, path, bodies[side])));
  const [one, other] = answers;
  if (one === undefined || other === undefined || one.status !== other.status || one.status >= 400)
    throw new Error(`${method} ${path}: ${one?.text} ${other?.text}`);
  return (one.json as { id?: number } | undefined)?.id ?? 0;
}

/** Values that the caller does not see: in the first database, and in the second. */
const differing = (random: Random): readonly [string, string] =>
  random.pick([
    ['alpha', 'beta'],
    ['gamma', 'alpha beta'],
    ['delta', 'alpha'],
  ]);

export class Hidden {
  /** Records that exist in both databases and are hidden from every tested caller. */
  readonly #lostBooks: number[] = [];
  readonly #loans: number[] = [];

  constructor(
    readonly pair: Pair,
    readonly random: Random,
  ) {}

  async seed(): Promise<void> {
    for (let n = 0; n < 12; n++) {
      const [a, b] = differing(this.random);
      await both(this.pair, 'POST', '/api/v2/members', [
        { name: n === 6 || n === 8 ? 'same' : a, email: `${n}@x`, secret: a },
        { name: n === 6 || n === 8 ? 'same' : b, email: `${n}@x`, secret: b },
      ]);
    }
    for (let n = 0; n < 6; n++) await this.#book(this.random.pick(['available', 'lent']));
    for (let n = 0; n < 4; n++) await this.#lostBook();
    for (let n = 0; n < 6; n++) await this.#loan(7 + (n % 2) * 2);
    for (let n = 0; n < 6; n++) await this.#hiddenLoan();
    for (let n = 0; n < 4; n++) await this.#secret();
    for (let n = 0; n < 4; n++) await this.#hiddenReview();
  }

  /** One change that is hidden, in both. */
  async next(): Promise<void> {
    const { random } = this;
    await random.pick([
      () => this.#hiddenLoan(),
      () => this.#secret(),
      () => this.#lostBook(),
      () => this.#book(random.pick(['available', 'lent'])),
      () => this.#loan(random.pick([7, 9])),
      () => this.#changeLost(),
      () => this.#changeLoan(),
      () => this.#hiddenReview(),
      () => this.#removeInOne(),
    ])();
  }

  async #book(state: string): Promise<void> {
    const [a, b] = differing(this.random);
    const seen = { title: this.random.pick(['alpha', 'beta', 'gamma']), state };
    await both(this.pair, 'POST', '/api/v2/books', [
      { ...seen, cost: '1.00', note: a },
      { ...seen, cost: '2.50', note: b },
    ]);
  }

  async #lostBook(): Promise<void> {
    const [a, b] = differing(this.random);
    const id = await both(this.pair, 'POST', '/api/v2/books', [
      { title: a, state: 'lost', note: a, cost: '1.00' },
      { title: b, state: 'lost', note: b, cost: '2.50' },
    ]);
    this.#lostBooks.push(id);
  }

  async #loan(member: number): Promise<void> {
    const seen = { book: 1 + this.random.below(6), member, due_on: this.random.pick(['2026-01-01', '2026-02-02']) };
    const id = await both(this.pair, 'POST', '/api/v2/loans', [
      { ...seen, fine: '1.00' },
      { ...seen, fine: '2.50' },
    ]);
    // The hidden field changes, and the version with it.
    if (this.random.chance(0.5))
      await both(this.pair, 'PATCH', `/api/v2/loans/${id}`, [{ fine: '2.00' }, { fine: '3.00' }]);
  }

  async #hiddenLoan(): Promise<void> {
    const loan = (book: number, due_on: string) => ({ book, member: 8, due_on });
    const id = await both(this.pair, 'POST', '/api/v2/loans', [loan(1, '2026-01-01'), loan(2, '2026-03-03')]);
    this.#loans.push(id);
  }

  async #secret(): Promise<void> {
    const [a, b] = differing(this.random);
    await both(this.pair, 'POST', '/api/v2/secrets', [{ text: a }, { text: b }]);
  }

  /** Of a book that is lost: the rule for reading leads to that. */
  async #hiddenReview(): Promise<void> {
    const [a, b] = differing(this.random);
    const book = this.random.pick(this.#lostBooks);
    await both(this.pair, 'POST', '/api/v2/reviews', [
      { book, text: a, stars: 1 },
      { book, text: b, stars: 5 },
    ]);
  }

  async #changeLost(): Promise<void> {
    const [a, b] = differing(this.random);
    const id = this.#lostBooks.at(-1);
    if (id !== undefined) await both(this.pair, 'PATCH', `/api/v2/books/${id}`, [{ title: a }, { title: b }]);
  }

  async #changeLoan(): Promise<void> {
    const id = this.#loans.at(-1);
    if (id !== undefined) await both(this.pair, 'PATCH', `/api/v2/loans/${id}`, [{ fine: '7.00' }, { fine: '8.00' }]);
  }

  /** From then on it exists in the other database alone. */
  async #removeInOne(): Promise<void> {
    const id = this.#loans.shift();
    const server = this.random.pick(this.pair);
    if (id !== undefined) await server.ask(admin, 'DELETE', `/api/v2/loans/${id}`);
  }
}
