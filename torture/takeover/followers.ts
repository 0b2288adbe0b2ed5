/** Followers of the live feed. They go on while declarations change and servers are killed, and judge every change. */
import { Follower } from '../support/follower.ts';
import { type Book, shapeOf } from './shapes.ts';

/** In milliseconds: how long a follower may need for what it has not received yet. */
const catchUpMs = 20_000;

export class Followers {
  readonly #complaints = new Set<string>();
  /** How often each record was told to be new, for each follower. */
  readonly #told: Map<number, number>[] = [];
  readonly #followers: Follower[] = [];

  /** `urls`: of the servers that run. Each connection is to the next one. */
  constructor(count: number, urls: () => readonly string[]) {
    for (let place = 0; place < count; place++) {
      let connects = place;
      const told = new Map<number, number>();
      this.#told.push(told);
      const url = () => urls()[connects++ % urls().length] ?? '';
      this.#followers.push(new Follower(0, url, (events) => this.#judge(events, told), '?collection=books'));
    }
  }

  async start(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.connect()));
  }

  get changes(): number {
    return this.#followers.reduce((sum, { count }) => sum + count, 0);
  }

  get connects(): number {
    return this.#followers.reduce((sum, { connects }) => sum + connects, 0);
  }

  /** Compares what each follower was told with the acknowledged records. Call it when nothing is written any more. */
  async verify(acknowledged: ReadonlyMap<number, string>): Promise<string[]> {
    const ids = [...acknowledged.keys()];
    const deadline = performance.now() + catchUpMs;
    while (this.#told.some((told) => !ids.every((id) => told.has(id))) && performance.now() < deadline)
      await Bun.sleep(20);
    for (const follower of this.#followers) {
      follower.stop();
      if (follower.complaint !== undefined) this.#complaints.add(`feed: a follower ${follower.complaint}`);
    }
    for (const told of this.#told)
      for (const id of ids)
        if (told.get(id) !== 1)
          this.#complaints.add(`feed: a follower was told ${told.get(id) ?? 0} times of the record ${id}`);
    return [...this.#complaints];
  }

  #judge(events: readonly string[], told: Map<number, number>): void {
    for (const event of events) {
      const { type, record } = JSON.parse(event) as { type: string; record: Book };
      if (shapeOf(record) === undefined) this.#complaints.add(`mixed: a change ${event.slice(0, 300)}`);
      if (type.endsWith('.created')) told.set(Number(record.id), (told.get(Number(record.id)) ?? 0) + 1);
    }
  }
}
