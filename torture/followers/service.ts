/** Requests to servers that may be down: each goes to any of them. */
import type { Random } from '../../test/support/data/random.ts';
import type { Setup } from '../history/servers/setup.ts';
import { collection } from './loans.ts';
import type { Loan } from './replica.ts';

/** A request that was swallowed by a network is given up. */
const patienceMs = 5000;
const pauseMs = 50;
/** In milliseconds. The servers answer within this time when there are no faults any more. */
export const recoverMs = 60_000;

export type Sent = { readonly method: string; readonly path: string; readonly body?: object };

export class Service {
  constructor(
    readonly setup: Setup,
    readonly random: Random,
  ) {}

  url(): string {
    return `http://127.0.0.1:${this.random.pick(this.setup.ports())}`;
  }

  /** Undefined if its outcome is unknown. */
  async send({ method, path, body }: Sent): Promise<{ readonly status: number; readonly text: string } | undefined> {
    try {
      const response = await fetch(`${this.url()}/api/v2/${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        signal: AbortSignal.timeout(patienceMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      await Bun.sleep(pauseMs);
      return undefined;
    }
  }

  /** Sends it again until it succeeds: it can be done twice. */
  async succeed(sent: Sent): Promise<string> {
    const deadline = performance.now() + recoverMs;
    for (;;) {
      const answer = await this.send(sent);
      if (answer !== undefined && answer.status < 300) return answer.text;
      if (performance.now() > deadline)
        throw new Error(`${sent.method} ${sent.path} does not succeed: ${answer?.status} ${answer?.text}`);
      await Bun.sleep(pauseMs);
    }
  }

  /** All that match, as the server lists them. */
  async list(where: string): Promise<readonly Loan[]> {
    const found: Loan[] = [];
    for (let cursor = ''; ; ) {
      const path = `${collection}?where=${encodeURIComponent(where)}&limit=1000${cursor}`;
      const page = JSON.parse(await this.succeed({ method: 'GET', path })) as {
        readonly data: readonly Loan[];
        readonly next_cursor: string | null;
      };
      found.push(...page.data);
      if (page.next_cursor === null) return found;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }

  /** The number of the last change. */
  async lastChange(): Promise<number> {
    for (let after = 0; ; ) {
      const page = await this.succeed({ method: 'GET', path: `changes?after=${after}&limit=1000` });
      const { last } = JSON.parse(page) as { readonly last: number };
      if (last === after) return last;
      after = last;
    }
  }
}
