/** Adds many records in one request, one JSON object per line: all of them, or none. */
import { authorOf } from '../../domain/caller.ts';
import type { Collection } from '../../domain/collection.ts';
import { Failure, type Problem } from '../../domain/errors.ts';
import type { Bulked, Store } from '../../domain/store.ts';
import type { Body } from '../../wire/body.ts';
import type { Incoming } from '../../wire/incoming.ts';
import type { Reply } from '../../wire/reply.ts';
import { type Bodies, requirePlain } from '../body/json-body.ts';
import { json } from '../route/reply.ts';
import type { Call } from '../route/route.ts';
import { idempotencyKeyOf, onceOf, requireSameBody } from './idempotency-key.ts';

export type BulkOptions = {
  /** Parses each line, and bounds its size. */
  readonly bodies: Bodies;
  /** The limit for all lines together, in bytes. */
  readonly maxBulk: number;
  /** In milliseconds: the TTL of an Idempotency-Key. */
  readonly idempotency: number;
};

export const bulkType = 'application/x-ndjson';
/** Parsing continues up to this number of problems, so that a client can fix several at a time. */
const maxProblems = 100;
/** Other requests get a turn after this many lines, or this many bytes of them. */
const yieldAfter = { lines: 500, bytes: 256 * 1024 };

type Line = { readonly number: number; readonly bytes: Buffer<ArrayBuffer> };

export function isBulk(request: Incoming): boolean {
  const [type = ''] = (request.header('content-type') ?? '').split(';');
  return type.trim().toLowerCase() === bulkType;
}

export async function addBulk(
  collection: Collection,
  store: Store,
  { request, caller, client }: Call,
  { bodies, maxBulk, idempotency }: BulkOptions,
): Promise<Reply> {
  requirePlain(request);
  const key = idempotencyKeyOf(request, caller);
  const shape = collection.record;
  const digest = new Bun.CryptoHasher('sha256').update(`${bulkType}\n`);
  const bulk = await store.bulk(collection, client, authorOf(caller));
  try {
    const problems = new LineProblems();
    let count = 0;
    const lines = new LineNumbers();
    for await (const group of linesOf(request.body, bodies.maxBytes, maxBulk)) {
      const records: string[] = [];
      for (const { number, bytes } of group) {
        try {
          const parsed = bodies.parse([bytes], shape.members);
          const sent = parsed instanceof Promise ? await parsed : parsed;
          records.push(shape.encodeDraft(shape.parse(sent)));
          lines.add(number);
        } catch (error) {
          problems.add(number, error);
          if (problems.full) break;
        }
      }
      if (problems.full) break;
      await new Promise(setImmediate);
      // After a problem nothing will be added, so the remaining lines are only checked.
      if (problems.none && records.length > 0) {
        for (const record of records) digest.update(`${record}\n`);
        await bulk.add(records);
        count += records.length;
      }
    }
    problems.throwIfAny();
    if (count === 0)
      throw new Failure('malformed_json', { detail: 'The body has no records: send one JSON object per line.' });
    const committed = bulk.commit(onceOf(key, () => digest.digest('hex'), idempotency)).catch((error) => {
      throw lines.translate(error);
    });
    const done = requireSameBody(await committed);
    return 'repeated' in done ? bulkReply(done.repeated, { 'Idempotent-Replayed': 'true' }) : bulkReply(done);
  } finally {
    await bulk.close();
  }
}

function bulkReply({ created, first, last }: Bulked, headers: Reply['headers'] = {}): Reply {
  return json(201, `{"created":${created},"first_id":${first},"last_id":${last}}`, headers);
}

/** The line of each record: blank lines have none. */
class LineNumbers {
  /** Where the distance between line and record grows: the number of a record, and its line. */
  readonly #starts: [record: number, line: number][] = [];
  #records = 0;
  #distance = 0;

  add(line: number): void {
    this.#records++;
    if (line - this.#records === this.#distance) return;
    this.#distance = line - this.#records;
    this.#starts.push([this.#records, line]);
  }

  #lineOf(record: number): number {
    const [start, line] = this.#starts.findLast(([one]) => one <= record) ?? [1, 1];
    return line + record - start;
  }

  /** The store counts records; the client counts lines. */
  translate(error: unknown): unknown {
    if (!(error instanceof Failure) || error.problems === undefined) return error;
    const problems = error.problems.map((problem) =>
      problem.line === undefined ? problem : { ...problem, line: this.#lineOf(problem.line) },
    );
    const [first] = problems;
    const detail = `Nothing was added. ${first?.line === undefined ? '' : `Line ${first.line}: `}${error.detail}`;
    return new Failure(error.code, {
      detail,
      problems,
      ...(error.members === undefined ? {} : { members: error.members }),
    });
  }
}

/** The problems of all lines. */
class LineProblems {
  readonly #problems: Problem[] = [];
  #first: { readonly line: number; readonly failure: Failure } | undefined;

  get none(): boolean {
    return this.#first === undefined;
  }

  get full(): boolean {
    return this.#problems.length >= maxProblems;
  }

  add(line: number, failure: unknown): void {
    if (!(failure instanceof Failure)) throw failure;
    this.#first ??= { line, failure };
    const room = maxProblems - this.#problems.length;
    for (const problem of (failure.problems ?? []).slice(0, room)) this.#problems.push({ ...problem, line });
  }

  throwIfAny(): void {
    if (this.#first === undefined) return;
    const { line, failure } = this.#first;
    const detail = `Nothing was added. Line ${line}: ${failure.detail}`;
    throw new Failure(failure.code, { detail, problems: this.#problems });
  }
}

/** Yields lines in groups, as they arrive; skips blank ones. */
async function* linesOf(body: Body, maxLine: number, maxBulk: number): AsyncGenerator<Line[]> {
  let number = 0;
  let lines: Line[] = [];
  let partial: Buffer<ArrayBuffer>[] = [];
  let size = 0;
  /** Since the last yield. */
  let sinceYield = { lines: 0, bytes: 0 };
  function endLine(piece: Buffer<ArrayBuffer>): void {
    const bytes = partial.length === 0 ? piece : Buffer.concat([...partial, piece]);
    partial = [];
    size = 0;
    number++;
    sinceYield.lines++;
    sinceYield.bytes += bytes.length;
    if (bytes.length > maxLine) throw lineTooLong(number, maxLine);
    if (!isBlank(bytes)) lines.push({ number, bytes });
  }

  for (;;) {
    const piece = await body.take(maxBulk);
    if (piece.length === 0) break;
    let start = 0;
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, start)) {
      endLine(piece.subarray(start, at));
      start = at + 1;
      if (sinceYield.lines < yieldAfter.lines && sinceYield.bytes < yieldAfter.bytes) continue;
      yield lines;
      lines = [];
      sinceYield = { lines: 0, bytes: 0 };
    }
    partial.push(piece.subarray(start));
    size += piece.length - start;
    if (size > maxLine) throw lineTooLong(number + 1, maxLine);
    // Each small piece would pin the buffer that it arrived in.
    if (partial.length > 64 + size / 1024) partial = [Buffer.concat(partial)];
  }
  if (size > 0) endLine(Buffer.alloc(0));
  if (lines.length > 0) yield lines;
}

function isBlank(bytes: Buffer): boolean {
  // Mostly the first byte decides.
  for (const byte of bytes) if (byte > 0x20) return false;
  return true;
}

function lineTooLong(line: number, max: number): Failure {
  return new Failure('body_too_large', {
    detail: `Nothing was added. Line ${line} is over the limit of ${max} bytes.`,
  });
}
