/**
 * Schedules searches. A search that is not done in its first turn is long. At most `mostLong` long searches are open at
 * once, at most `longPerClient` of one client, and they take turns. One connection is reserved for new searches. So a
 * short search never waits for a long one to end, and a client waits for no more than a few searches of another client.
 */
import type { Client } from '../../../domain/store/client.ts';
import { FairQueue } from '../../../threads/fair-queue.ts';

export type Asked = {
  readonly number: number;
  readonly client: Client;
  /** In milliseconds, on the clock `now`. */
  readonly deadline: number;
};

export type ScheduleOptions<Question extends Asked, Connection, SearchResult> = {
  /** `mostLong` and one reserved for new searches, or `mostLong` alone. */
  readonly connections: readonly Connection[];
  readonly mostLong: number;
  readonly longPerClient: number;
  now(): number;
  /** While true, long searches run one by one with gaps: SQLite cannot restart the WAL while a snapshot is open. */
  isLogLarge(): boolean;
  /** Each `next` takes some milliseconds. The generator is returned early if the search is stopped. */
  search(connection: Connection, question: Question): Generator<unknown, SearchResult>;
  found(question: Question, found: SearchResult): void;
  failed(question: Question, error: unknown): void;
  timedOut(question: Question): void;
};

type Running<Question, Connection, SearchResult> = {
  readonly question: Question;
  readonly connection: Connection;
  readonly slices: Generator<unknown, SearchResult>;
};

/** In milliseconds; the slice that is running at the end of the turn is completed. */
const turnMs = 10;
/** In milliseconds: between two long searches while the WAL is large. */
const gapMs = 50;

export class SearchSchedule<Question extends Asked, Connection, SearchResult> {
  readonly #free: Connection[];
  readonly #fresh = new FairQueue<Question>();
  /** Long searches that may not start yet. */
  readonly #waiting = new FairQueue<Question>();
  /** In order of turns: the first is next. */
  readonly #long: Running<Question, Connection, SearchResult>[] = [];
  /** When the last long search ended. */
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(readonly options: ScheduleOptions<Question, Connection, SearchResult>) {
    this.#free = [...options.connections];
  }

  get isIdle(): boolean {
    return this.#long.length === 0 && this.#fresh.isEmpty && this.#waiting.isEmpty;
  }

  add(question: Question): void {
    this.#fresh.add(question.client, question);
  }

  cancel(matches: (question: Question) => boolean): void {
    for (const queue of [this.#fresh, this.#waiting]) queue.remove(matches);
    for (const running of this.#long.filter(({ question }) => matches(question))) {
      this.#long.splice(this.#long.indexOf(running), 1);
      this.#end(running);
    }
  }

  /** Runs one turn of a new search and one of a long search. Returns false if none may run yet. */
  turn(): boolean {
    const started = this.#free.length === 0 ? undefined : this.#begin(this.#fresh.take());
    if (started !== undefined && !this.#runTurn(started)) this.#continueAsLong(started);
    if (this.#free.length > 0 && this.#mayBeginLong()) {
      const resumed = this.#begin(this.#waiting.take((client) => this.#mayHaveLong(client)));
      if (resumed !== undefined) this.#long.push(resumed);
    }
    const running = this.#long.shift();
    if (running !== undefined) {
      if (this.#runTurn(running)) this.#endedAt = this.options.now();
      else this.#long.push(running);
    }
    return started !== undefined || running !== undefined;
  }

  #begin(question: Question | undefined): Running<Question, Connection, SearchResult> | undefined {
    const connection = question === undefined ? undefined : this.#free.pop();
    if (question === undefined || connection === undefined) return undefined;
    return { question, connection, slices: this.options.search(connection, question) };
  }

  /** Continues as a long search, or starts over later when another long search may begin. */
  #continueAsLong(running: Running<Question, Connection, SearchResult>): void {
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

  #mayHaveLong(client: Client): boolean {
    return (
      client === undefined ||
      this.#long.filter(({ question }) => question.client === client).length < this.options.longPerClient
    );
  }

  /** Returns true when the search is answered. */
  #runTurn(running: Running<Question, Connection, SearchResult>): boolean {
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

  #end({ connection, slices }: Running<Question, Connection, SearchResult>): void {
    slices.return(undefined as never);
    this.#free.push(connection);
  }
}
