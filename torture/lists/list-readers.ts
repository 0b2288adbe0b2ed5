/** Eight clients that read the whole list; half of them have a second request in flight, which waits behind it. */
import { AnsweringThreads } from '../support/answering-threads.ts';
import { type Answer, excerpt } from './answers.ts';
import { Clients, request } from './clients.ts';
import type { Exchange } from './connection.ts';
import type { Moments } from './moments.ts';
import { seededRecords } from './plans.ts';
import type { ListRules } from './sent-writes.ts';
import { Tags } from './tags.ts';

const readersOfEachKind = 4;

export class ListReaders {
  lists = 0;
  bytes = 0;
  /** Single records. */
  records = 0;
  readonly threads = new AnsweringThreads();
  readonly tags = new Tags();
  readonly #clients: Clients;
  readonly #rules: ListRules;
  readonly #moments: Moments;

  constructor(port: number, rules: ListRules, moments: Moments, isOver: () => boolean) {
    this.#clients = new Clients(port, isOver);
    this.#rules = rules;
    this.#moments = moments;
  }

  get complaints(): string[] {
    return this.#clients.complaints;
  }

  /** Until it is over. */
  async run(): Promise<void> {
    const rounds = [() => [this.#list()], () => [this.#list(), this.#record()]];
    await Promise.all(
      rounds.flatMap((round) => Array.from({ length: readersOfEachKind }, () => this.#clients.run(round))),
    );
  }

  #list(): Exchange {
    const askedAt = this.#moments.next();
    return {
      request: request('GET', '/api/items'),
      judge: (answer) => {
        this.lists++;
        this.bytes += answer.body.byteLength;
        this.threads.add(answer.headers.get('x-request-id'));
        const wrong = this.#wrong(answer, askedAt);
        if (wrong !== undefined) this.complaints.push(`list ${this.lists} ${wrong}`);
      },
    };
  }

  #wrong({ status, headers, body }: Answer, askedAt: number): string | undefined {
    if (status !== 200) return `has status ${status}: ${excerpt(body)}`;
    return this.#rules.check(body, askedAt) ?? this.tags.add(headers.get('etag'), body);
  }

  /** It is misread if the list before it has another length than it says. */
  #record(): Exchange {
    return {
      request: request('GET', '/api/items/1'),
      judge: ({ status, body }) => {
        this.records++;
        if (status !== 200 || body.toString() !== seededRecords[0])
          this.complaints.push(`after list ${this.lists}: expected record 1, got ${status} ${excerpt(body)}`);
      },
    };
  }
}
