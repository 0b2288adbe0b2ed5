/** The log of a server in this process. A line of another thread can arrive after the answer, so entries are awaited. */
import type { Entry, RequestEntry } from '../../../src/http/observe/log-entry.ts';

type Event = Entry['event'];

export class ServerLog {
  readonly entries: Entry[] = [];
  /** For `startServer`. */
  readonly logTo = (entry: Entry): void => {
    this.entries.push(entry);
  };

  named<Name extends Event>(event: Name): Extract<Entry, { event: Name }>[] {
    return this.entries.filter((entry): entry is Extract<Entry, { event: Name }> => entry.event === event);
  }

  /** Resolves with all entries of an event when there are so many. */
  async count<Name extends Event>(event: Name, count: number): Promise<Extract<Entry, { event: Name }>[]> {
    while (this.named(event).length < count) await Bun.sleep(1);
    return this.named(event);
  }

  /** The entry of the request with this answer. */
  async of({ headers }: Response): Promise<RequestEntry> {
    const id = headers.get('X-Request-Id');
    for (;;) {
      const found = this.named('request').find(({ request_id }) => request_id === id);
      if (found !== undefined) return found;
      await Bun.sleep(1);
    }
  }
}
