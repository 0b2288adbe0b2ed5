/** Sends a batch: rows that the server refuses are left out, and what may pass is tried again. */
import { messageOf, Problem } from '../../api/problem.ts';
import { open } from '../../api/request.ts';
import type { Batch } from './batches.ts';
import { type Entry, lineOf, type RowProblem } from './entry.ts';

export type Sent = {
  readonly added: number;
  /** The records of an earlier import of the same batch, and how many of them were deleted since. */
  readonly present: number;
  readonly deleted: number;
  /** Each with its problems. */
  readonly refused: readonly Entry[];
};

/** A row that the server has refused. */
export type Refusal = { readonly line: number; readonly problems: readonly RowProblem[] };

export type Sending = {
  readonly collection: string;
  /** Nothing is added. */
  readonly isDry: boolean;
  readonly signal: AbortSignal;
  /** Rows that the server has refused in an earlier page: with them the body would be another one. */
  readonly known: readonly Refusal[];
  /** An earlier page may have sent the batch without hearing the answer: then it is this import that has added it. */
  readonly mayBeSent: boolean;
  /** Called with the reason of each pause, and with undefined after it. */
  onWait(why: string | undefined): void;
  /** Called with all rows that the server has refused, before the others are sent. */
  onRefused(all: readonly Refusal[]): Promise<void>;
};

export const bulkPath = (collection: string) => `/api/v2/${collection}/bulk`;

/** Throws a Problem that does not pass, or the reason of the signal. */
export async function sendBatch({ key, entries }: Batch, sending: Sending): Promise<Sent> {
  const known = new Map(sending.known.map(({ line, problems }) => [line, problems]));
  const byServer = entries.flatMap((entry) => {
    const problems = known.get(entry.line);
    return problems === undefined ? [] : [{ ...entry, problems }];
  });
  let good = entries.filter(({ line, problems }) => problems.length === 0 && !known.has(line));
  let { mayBeSent } = sending;
  const attempt = async () => {
    try {
      return await post(good, key, sending);
    } catch (error) {
      mayBeSent ||= error instanceof Problem && isOpen(error);
      throw error;
    }
  };
  for (;;) {
    try {
      const batch = good.length === 0 ? nothing : await persistently(attempt, sending);
      const earlier = mayBeSent ? undefined : batch.earlier;
      const refused = [...entries.filter(({ problems }) => problems.length > 0), ...byServer];
      return {
        added: earlier === undefined ? batch.created : 0,
        present: earlier === undefined ? 0 : batch.created,
        deleted: earlier === undefined ? 0 : batch.created - earlier.existing,
        refused: refused.sort((one, other) => one.line - other.line),
      };
    } catch (error) {
      const atFault = rowsAtFault(error, good);
      if (atFault.length === 0) throw error;
      byServer.push(...atFault);
      await sending.onRefused(byServer.map(({ line, problems }) => ({ line, problems })));
      const lines = new Set(atFault.map(({ line }) => line));
      good = good.filter(({ line }) => !lines.has(line));
    }
  }
}

/** The records may be in, or not. */
function isOpen({ status, code }: Problem): boolean {
  return [0, 502, 504].includes(status) || code === 'outcome_unknown';
}

/** The answer for a batch: `earlier` if it was in already. */
type Added = { readonly created: number; readonly earlier?: { readonly existing: number } };
const nothing: Added = { created: 0 };

async function post(good: readonly Entry[], key: string, { collection, isDry, signal }: Sending): Promise<Added> {
  const lines = good.map((entry) => `${lineOf(entry)}\n`).join('');
  const response = await open({
    method: 'POST',
    path: `${bulkPath(collection)}${isDry ? '?dry_run=true' : '?import=once'}`,
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: isDry ? lines : `${lines}${JSON.stringify([{ key, records: good.length }])}\n`,
    signal,
  });
  const answer = (await response.json()) as { readonly batches?: readonly Added[] };
  return answer.batches?.[0] ?? { created: good.length };
}

const rowFailures = ['already_exists', 'reference_missing', 'invalid_body', 'malformed_json'];

/** The rows that the server names, with its reasons; none if it refuses the batch as a whole. */
function rowsAtFault(error: unknown, good: readonly Entry[]): Entry[] {
  if (!(error instanceof Problem) || !rowFailures.includes(error.code)) return [];
  const byPlace = Map.groupBy(error.problems, ({ line = 0 }) => line);
  return [...byPlace].flatMap(([place, problems]) => {
    const entry = good[place - 1];
    if (entry === undefined) return [];
    const reasons = problems.map(({ field, detail }) => ({ field, detail: withLine(detail, good) }));
    return [{ ...entry, problems: reasons }];
  });
}

/** The server counts the records of the body; a person counts the lines of the file. */
function withLine(detail: string, good: readonly Entry[]): string {
  return detail.replace(
    /an earlier record of the body \(number (\d+)\)/,
    (_, number: string) => `line ${good[Number(number) - 1]?.line}`,
  );
}

const pauseMs = { first: 300, longest: 5000 };
/** No answer, too many requests, or a server that is not ready. The key makes every attempt safe. */
const passing = [0, 408, 429, 502, 503, 504];

/** Does not give up: a person can. */
async function persistently<Result>(attempt: () => Promise<Result>, { signal, onWait }: Sending): Promise<Result> {
  for (let ms = pauseMs.first; ; ms = Math.min(ms * 2, pauseMs.longest)) {
    try {
      const result = await attempt();
      onWait(undefined);
      return result;
    } catch (error) {
      if (!(error instanceof Problem) || !passing.includes(error.status)) throw error;
      onWait(messageOf(error));
      await pause(ms, signal);
    }
  }
}

/** Throws the reason of the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  signal.throwIfAborted();
}
