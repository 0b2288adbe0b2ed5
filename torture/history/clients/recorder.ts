/** Records every operation and its outcome, compactly enough for runs of several hours. */
import { type FailureCode, failures } from '../../../src/domain/errors.ts';
import { AnsweringThreads } from '../../support/answering-threads.ts';
import type { ReceivedReply } from './connection.ts';
import type { Operation, Outcome, Request } from './operation.ts';

/** A request and its reply; without a reply it was lost, or never sent. */
export type Exchange = {
  readonly door: string;
  readonly invoked: number;
  readonly answered: number;
  readonly sent: boolean;
  readonly reply: ReceivedReply | undefined;
};

/** Codes of a 503 that guarantee that nothing was changed. */
const nothingChanged: readonly FailureCode[] = ['storage_unavailable', 'overloaded', 'timed_out', 'not_ready'];

export class Recorder {
  readonly operations: Operation[] = [];
  /** How many operations have had each kind of outcome. */
  readonly outcomes = new Map<string, number>();
  /** Answers that no client may get, under any fault. */
  readonly unexpected: string[] = [];
  readonly threads = new AnsweringThreads();
  readonly #texts = new Map<string, string>();

  /** `shown` is what a successful reply shows, in the form of answer.ts; it may throw on a malformed one. */
  add(
    client: string,
    exchange: Exchange,
    request: Request,
    shown: (reply: ReceivedReply) => readonly string[],
  ): Outcome {
    const { door, invoked, answered } = exchange;
    const outcome = this.#outcome(client, exchange, shown);
    const key =
      outcome.kind === 'failed' || outcome.kind === 'unknown' ? `${outcome.kind}: ${outcome.why}` : outcome.kind;
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1);
    this.operations.push({ number: this.operations.length, client, door, invoked, answered, request, outcome });
    return outcome;
  }

  /** Many answers show the same texts, so equal texts are stored once. */
  #kept(texts: readonly string[]): string[] {
    return texts.map((text) => {
      const known = this.#texts.get(text);
      if (known !== undefined) return known;
      this.#texts.set(text, text);
      return text;
    });
  }

  #outcome(
    client: string,
    { door, sent, reply }: Exchange,
    shown: (reply: ReceivedReply) => readonly string[],
  ): Outcome {
    if (reply === undefined)
      return sent ? { kind: 'unknown', why: 'connection lost' } : { kind: 'failed', why: 'not sent' };
    this.threads.add(reply.headers.get('x-request-id'));
    const { status } = reply;
    if (status === 404) return { kind: 'missing' };
    if (status === 412) return { kind: 'conflict' };
    if (status === 422) return { kind: 'failed', why: 'key_reused' };
    if (status === 503) return unavailable(reply);
    try {
      if (status >= 400) throw new Error('unexpected status');
      const replayed = reply.headers.get('idempotent-replayed') === 'true';
      return { kind: 'ok', shown: this.#kept(shown(reply)), ...(replayed ? { replayed } : {}) };
    } catch (error) {
      this.unexpected.push(`unexpected answer: ${client}, ${door}: ${status} ${reply.body.slice(0, 300)}: ${error}`);
      return { kind: 'unknown', why: `${status}` };
    }
  }
}

/** The outcome of a request with the answer 503. */
export function unavailable(reply: ReceivedReply): Extract<Outcome, { kind: 'failed' | 'unknown' }> {
  const code = codeOf(reply);
  return code !== undefined && nothingChanged.includes(code)
    ? { kind: 'failed', why: code }
    : { kind: 'unknown', why: code ?? '503 without a code' };
}

/** v2 sends the code; on the contract's routes the title in `detail` identifies it. */
function codeOf({ body }: ReceivedReply): FailureCode | undefined {
  const codes = Object.keys(failures) as FailureCode[];
  try {
    const { type, detail = '' } = JSON.parse(body) as { readonly type?: string; readonly detail?: string };
    return type === undefined
      ? codes.find((code) => detail.startsWith(failures[code].title))
      : codes.find((code) => type === `/problems/${code.replaceAll('_', '-')}`);
  } catch {
    return undefined;
  }
}
