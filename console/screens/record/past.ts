/**
 * The changes of one record, the latest first. The feed is read forward, so it is searched backward in windows of change
 * numbers, which grow where they find little.
 */
import { eventsOf } from '../../api/events.ts';
import { type Change, changeOf } from '../../api/feed.ts';
import { elements, members } from '../../api/json.ts';
import { Problem } from '../../api/problem.ts';
import { open, send } from '../../api/request.ts';

const pageSize = 1000;
const firstWindow = 1000;
const widest = 1_000_000_000;
/** Fewer changes in a window make the next one wider. */
const few = 200;
/** Windows that are searched before a person is asked to go on. */
const atOnce = 12;

export class Past {
  readonly changes: Change[] = [];
  /** Nothing older is kept, or the record began here. */
  isComplete = false;
  /** All changes up to this one are still to be searched; undefined before the first search. */
  #before: number | undefined;
  #window = firstWindow;
  /** The feed starts behind this change. */
  #trimmed = 0;

  constructor(
    readonly collection: string,
    readonly id: string,
  ) {}

  /** Goes further back, by some windows. */
  async search(signal: AbortSignal): Promise<void> {
    this.#before ??= await lastChange(this.collection, signal);
    for (let round = 0; round < atOnce && !this.isComplete; round++) {
      const after = Math.max(this.#trimmed, this.#before - this.#window);
      const found = await this.#read(after, this.#before, signal);
      if (found === undefined) continue;
      this.changes.push(...found.own.reverse());
      this.#before = after;
      if (found.seen < few) this.#window = Math.min(this.#window * 4, widest);
      this.isComplete = after <= this.#trimmed || this.changes.at(-1)?.type.endsWith('.created') === true;
    }
  }

  /** The changes of the record in a window; undefined if the window begins before the feed does. */
  async #read(after: number, upTo: number, signal: AbortSignal): Promise<{ own: Change[]; seen: number } | undefined> {
    const own: Change[] = [];
    let seen = 0;
    let position = after;
    while (position < upTo) {
      const path = `/api/v2/changes?collection=${this.collection}&after=${position}&limit=${pageSize}`;
      let page: ReadonlyMap<string, string>;
      try {
        page = members(await send({ path, signal }));
      } catch (error) {
        const start =
          error instanceof Problem && error.status === 410 ? /after=(\d+)/.exec(error.message)?.[1] : undefined;
        if (start === undefined) throw error;
        this.#trimmed = Number(start);
        return undefined;
      }
      const changes = elements(page.get('data') ?? '[]').map(changeOf);
      const within = changes.filter(({ seq }) => Number(seq) <= upTo);
      own.push(...within.filter(({ record }) => record.get('id') === this.id));
      seen += within.length;
      if (within.length < changes.length || changes.length === 0) break;
      position = Number(page.get('last') ?? upTo);
    }
    return { own, seen };
  }
}

/** The live feed begins with its position. */
async function lastChange(collection: string, signal: AbortSignal): Promise<number> {
  const { body } = await open({ path: `/api/v2/events?collection=${collection}`, signal });
  if (body !== null) for await (const { id } of eventsOf(body)) return Number(id);
  return 0;
}
