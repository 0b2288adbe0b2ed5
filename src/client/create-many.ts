/** Adds many records in batches: each is one request with one JSON object per line, under its own Idempotency-Key. */
import { requireNotAborted } from './send/abort.ts';
import { type Problem, ShelfError, withMore } from './send/failure.ts';
import { keyOf } from './send/idempotency-key.ts';
import { api, type CreateOptions, type Sender } from './send/sender.ts';
import { encode } from './values/encode.ts';

/** Other writes wait while a batch is added, and `memory:` takes at most 16 MiB at a time. */
const most = { records: 5000, characters: 4 * 1024 * 1024 };

export type Source = Iterable<object> | AsyncIterable<object>;
type Added = {
  readonly created: number;
  /** With a key. */
  readonly updated?: number;
  readonly first_id: number | null;
  readonly last_id: number | null;
};

export type ManyOptions = CreateOptions & {
  readonly key?: readonly string[] | undefined;
  onProgress?(progress: Added): void;
};

export async function createMany(name: string, sender: Sender, source: Source, options: ManyOptions = {}) {
  const { onProgress, signal, key } = options;
  const idempotencyKey = keyOf(options.idempotencyKey);
  const path = `${api}/${name}/bulk${key === undefined ? '' : `?key=${key.map(encodeURIComponent).join()}`}`;
  let created = 0;
  let updated = 0;
  const counts = () => (key === undefined ? { created } : { created, updated });
  let inFlight = 0;
  let batch = 0;
  try {
    for await (const lines of batchesOf(name, source)) {
      requireNotAborted(signal);
      inFlight = lines.length;
      const headers = { 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': `${idempotencyKey}.${batch++}` };
      const request = { path, headers, body: lines.join('') };
      const text = await sender.send({ method: 'POST', safety: 'keyed', ...request }, options);
      const added = JSON.parse(text) as Added;
      created += added.created;
      updated += added.updated ?? 0;
      inFlight = 0;
      onProgress?.({ ...added, ...counts() });
    }
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    const isUnknown = error.code === 'outcome_unknown' || error.code === 'aborted';
    throw withMore(error, {
      idempotencyKey,
      bulk: { ...counts(), unknown: isUnknown ? inFlight : 0 },
      problems: error.problems.map((problem) => inSource(problem, created + updated)),
    });
  }
  return counts();
}

/** The server counts the records of one batch, and `before` of the source are in earlier ones. */
function inSource({ line, earlierRecord, ...problem }: Problem, before: number): Problem {
  return {
    ...problem,
    ...(line === undefined ? {} : { line: before + line }),
    ...(earlierRecord === undefined ? {} : { earlierRecord: before + earlierRecord }),
  };
}

/** The lines of each batch. The same source makes the same batches, so their keys belong to the same records. */
async function* batchesOf(name: string, source: Source): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let characters = 0;
  let count = 0;
  for await (const draft of fromSource(source)) {
    const line = `${encode(draft, `${name}, record ${++count}`)}\n`;
    if (lines.length === most.records || (lines.length > 0 && characters + line.length > most.characters)) {
      yield lines;
      lines = [];
      characters = 0;
    }
    lines.push(line);
    characters += line.length;
  }
  if (lines.length > 0) yield lines;
}

async function* fromSource(source: Source): AsyncGenerator<object> {
  try {
    yield* source;
  } catch (cause) {
    throw new ShelfError('source_failed', `The source of the records failed: ${(cause as Error).message}`, { cause });
  }
}
