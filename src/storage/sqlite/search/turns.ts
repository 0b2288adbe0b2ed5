/**
 * Which search goes on next. One that is not done in its first turn is a long one: so many of them take turns, of one client
 * fewer, and one connection is kept for those that have just come. So a short search waits for no long one to end, and
 * those of one client for no more than a few of another's.
 */
import { ClientQueue } from './client-queue.ts';

export type Asked = {
  readonly number: number;
  readonly client: string;
  /** On the clock that is given. */
  readonly deadline: number;
};

export type TurnsOptions<Question extends Asked, Connection, Found> = {
  /** One more than long searches, or the same number where none is kept. */
  readonly connections: readonly Connection[];
  readonly mostLong: number;
  readonly longPerClient: number;
  now(): number;
  /** SQLite's log cannot begin anew while a snapshot of it is read: where it has grown large, long searches leave gaps. */
  isLogLarge(): boolean;
  /** Each `next` takes some milliseconds. It is returned early when nobody waits for it any more. */
  search(connection: Connection, question: Question): Generator<undefined, Found>;
  found(question: Question, found: Found): void;
  failed(question: Question, error: unknown): void;
  timedOut(question: Question): void;
};

type Running<Question, Connection, Found> = {
  readonly question: Question;
  readonly connection: Connection;
  readonly slices: Generator<undefined, Found>;
};

/** In milliseconds; the slice that is under way when they have passed comes to its end. */
const turnMs = 10;
/** In milliseconds: between two long searches, for the log. */
const gapMs = 50;

export class SearchTurns<Question extends Asked, Connection, Found> {
  readonly #free: Connection[];
  readonly #fresh = new ClientQueue<Question>();
  readonly #waiting = new ClientQueue<Question>();
  /** The one whose turn is next comes first. */
  readonly #long: Running<Question, Connection, Found>[] = [];
  /** When a long one has ended. */
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(readonly options: TurnsOptions<Question, Connection, Found>) {
    this.#free = [...options.connections];
  }

  get isIdle(): boolean {
    return this.#long.length === 0 && this.#fresh.isEmpty && this.#waiting.isEmpty;
  }

  add(question: Question): void {
    this.#fresh.add(question.client, question);
  }

  cancel(fits: (question: Question) => boolean): void {
    for (const queue of [this.#fresh, this.#waiting]) queue.remove(fits);
    for (const running of this.#long.filter(({ question }) => fits(question))) {
      this.#long.splice(this.#long.indexOf(running), 1);
      this.#end(running);
    }
  }

  /** Of one that has just come, and of one of the long ones; false where none may go on yet. */
  turn(): boolean {
    const started = this.#free.length === 0 ? undefined : this.#begin(this.#fresh.take());
    if (started !== undefined && !this.#goOn(started)) this.#keep(started);
    if (this.#free.length > 0 && this.#mayBeginLong()) {
      const resumed = this.#begin(this.#waiting.take((client) => this.#mayHaveLong(client)));
      if (resumed !== undefined) this.#long.push(resumed);
    }
    const running = this.#long.shift();
    if (running !== undefined) {
      if (this.#goOn(running)) this.#endedAt = this.options.now();
      else this.#long.push(running);
    }
    return started !== undefined || running !== undefined;
  }

  #begin(question: Question | undefined): Running<Question, Connection, Found> | undefined {
    const connection = question === undefined ? undefined : this.#free.pop();
    if (question === undefined || connection === undefined) return undefined;
    return { question, connection, slices: this.options.search(connection, question) };
  }

  /** Goes on as a long one, or begins anew when it may be one. */
  #keep(running: Running<Question, Connection, Found>): void {
    const { question } = running;
    if (this.#mayBeginLong() && this.#mayHaveLong(question.client)) {
      this.#long.push(running);
      return;
    }
    this.#end(running);
    this.#waiting.add(question.client, question);
  }

  #mayBeginLong(): boolean {
    const { mostLong, isLogLarge, now } = this.options;
    if (this.#long.length >= mostLong) return false;
    const inGap = this.#long.length > 0 || now() - this.#endedAt < gapMs;
    return !inGap || !isLogLarge();
  }

  #mayHaveLong(client: string): boolean {
    return this.#long.filter(({ question }) => question.client === client).length < this.options.longPerClient;
  }

  /** True when it is answered. */
  #goOn(running: Running<Question, Connection, Found>): boolean {
    const { question, slices } = running;
    const { now, found, failed, timedOut } = this.options;
    const until = now() + turnMs;
    try {
      do {
        if (now() > question.deadline) {
          this.#end(running);
          timedOut(question);
          return true;
        }
        const { done, value } = slices.next();
        if (!done) continue;
        this.#end(running);
        found(question, value);
        return true;
      } while (now() < until);
      return false;
    } catch (error) {
      this.#end(running);
      failed(question, error);
      return true;
    }
  }

  #end({ connection, slices }: Running<Question, Connection, Found>): void {
    slices.return(undefined as never);
    this.#free.push(connection);
  }
}
