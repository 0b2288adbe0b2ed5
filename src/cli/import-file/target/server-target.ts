/** Imports through a server, with a key. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, type FailureCode, failures, type Problem, StartError } from '../../../domain/errors.ts';
import { printable } from '../../../domain/input/printable.ts';
import { suggestion } from '../../../domain/input/suggest.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { readKeyed } from '../../../domain/record/keyed-text.ts';
import type { UniqueRule } from '../../../domain/record/unique-rules.ts';
import type { ImportBatch, Imported } from '../../../domain/store/bulk.ts';
import { compiledFrom, listedIn } from '../../remote/server-index.ts';
import { authorityFix } from '../../remote/unknown-authority.ts';
import { checkedIn, importedIn } from './bulk-answer.ts';
import { type Checked, keyOf, type Target, type TargetBulk, Unreachable } from './import-target.ts';

/** A bulk can wait for others; a large one takes as long as it takes. */
const answerMs = { small: 120_000, large: 3_600_000 };

/** `apiKey` is for the server, and `fields` are the key of the records; undefined if there is none. Throws a StartError. */
export async function openServer(
  url: string,
  name: string,
  apiKey: string | undefined,
  fields?: readonly string[],
): Promise<Target> {
  const server = new Server(url.replace(/\/+$/, ''), apiKey);
  const declared = await server.collection(name);
  const key = keyOf(declared, fields);
  return {
    label: server.url,
    collection: declared,
    key,
    isShared: true,
    bulk: async (isLarge) =>
      isLarge
        ? new ServerBulk(server, { declared, key }, await fileSpool(), answerMs.large)
        : new ServerBulk(server, { declared, key }, memorySpool(), answerMs.small),
    close: async () => {},
  };
}

/** By the status of the index. */
const fixes: Readonly<Record<number, string>> = {
  401: 'set SHELF_KEY or --key-file',
  403: 'set SHELF_KEY or --key-file',
  404: 'check --url, and start the server with --docs admin if it has --docs off',
};

class Server {
  constructor(
    readonly url: string,
    readonly key: string | undefined,
  ) {}

  /** Compiled from the declaration that the server has. */
  async collection(name: string): Promise<Collection> {
    try {
      const answer = await this.send('/api/v2', {}, answerMs.small);
      const listed = listedIn(await answer.text(), this.url);
      if (listed === undefined) throw new Unreachable('it is not a Shelf server');
      const found = listed.find((one) => one.name === name);
      if (found !== undefined) return compiledFrom(found, this.url);
      const known = listed.map((one) => one.name);
      throw new StartError(`${this.url} has no collection ${name}${suggestion(name, known)}`);
    } catch (error) {
      if (error instanceof StartError) throw error;
      const why = error instanceof Failure || error instanceof Unreachable ? error.message : 'it is not a Shelf server';
      const fix = error instanceof Failure ? fixes[error.status] : authorityFix((error as Error).cause);
      throw new StartError(`Cannot import to ${this.url} (${why}): ${fix ?? 'check --url'}.`);
    }
  }

  /** Rejects with a Failure of the server, or with Unreachable. */
  async send(path: string, request: RequestInit, withinMs: number): Promise<Response> {
    const authorization = this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` };
    let answer: Response;
    try {
      answer = await fetch(this.url + path, {
        ...request,
        headers: { ...authorization, ...request.headers },
        // A key is for this address alone.
        redirect: 'manual',
        signal: AbortSignal.timeout(withinMs),
      });
    } catch (error) {
      throw new Unreachable(`no answer from ${this.url} (${(error as Error).message})`, { cause: error });
    }
    if (answer.ok) return answer;
    throw (await failureOf(answer)) ?? new Unreachable(`${this.url} answered ${answer.status}`);
  }
}

type ProblemDocument = {
  readonly type: string;
  readonly detail: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly detail: string;
    readonly line?: number;
    readonly earlier_record?: number;
  }[];
};

/** Undefined if the answer is not from Shelf. Its texts are for a terminal. */
async function failureOf(answer: Response): Promise<Failure | undefined> {
  try {
    const { type, detail, errors } = (await answer.json()) as ProblemDocument;
    const code = type.replace('/problems/', '').replaceAll('-', '_');
    if (!Object.hasOwn(failures, code)) return undefined;
    const problems = errors?.map(
      ({ pointer, detail: message, earlier_record: earlierRecord, ...problem }): Problem => ({
        ...problem,
        field: pointer === '#' ? undefined : printable(decodeURIComponent(pointer.slice(2))),
        message: printable(message),
        ...(earlierRecord === undefined ? {} : { earlierRecord }),
      }),
    );
    const retryAfter = Number(answer.headers.get('Retry-After') ?? '0');
    return new Failure(code as FailureCode, {
      detail: printable(detail),
      ...(problems === undefined ? {} : { problems }),
      ...(retryAfter > 0 ? { retryAfter } : {}),
    });
  } catch {
    return undefined;
  }
}

/** Records as a body has them, where the contract's id has another name. */
function linesOf(records: readonly string[]): string {
  return records.map((json) => `${json.startsWith('{"id":') ? `{"external_${json.slice(2)}` : json}\n`).join('');
}

/** The last line of an import. */
function lineOf(batches: readonly ImportBatch[]): string {
  return `${JSON.stringify(batches.map(({ key, records }) => ({ key, records })))}\n`;
}

class ServerBulk implements TargetBulk {
  constructor(
    readonly server: Server,
    readonly to: { readonly declared: Collection; readonly key: UniqueRule | undefined },
    readonly records: Spool,
    readonly withinMs: number,
  ) {}

  add(records: readonly string[]): Promise<void> {
    // The server adds the defaults itself.
    return this.records.add(linesOf(this.to.key === undefined ? records : records.map((one) => readKeyed(one).update)));
  }

  commit(batches: readonly ImportBatch[], isAgain: boolean): Promise<readonly Imported[]> {
    const query = `import=${isAgain ? 'again' : 'once'}`;
    return this.#send(query, lineOf(batches), (answer) => importedIn(answer, batches.length));
  }

  check(): Promise<Checked> {
    return this.#send('dry_run=true', '', checkedIn);
  }

  close(): Promise<void> {
    return this.records.close();
  }

  /** `resultIn` returns undefined for what is not the answer to a bulk. */
  async #send<Result>(
    query: string,
    lastLine: string,
    resultIn: (answer: unknown) => Result | undefined,
  ): Promise<Result> {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const body = await this.records.with(lastLine);
    const { declared, key } = this.to;
    const keyed = key === undefined ? query : `${query}&key=${key.fields.join()}`;
    const path = `/api/v2/${declared.name}/bulk?${keyed}`;
    const answer = await this.server.send(path, { method: 'POST', headers, body }, this.withinMs);
    const result = resultIn(await answer.json().catch(() => undefined));
    if (result !== undefined) return result;
    throw new Unreachable(
      `${this.server.url} answered ${answer.status} with something else than the result of a bulk: check --url`,
    );
  }
}

/** The lines of a bulk until all are there. */
type Spool = {
  add(lines: string): Promise<void>;
  /** All of them, and a last one that the next call replaces. */
  with(lastLine: string): Promise<string | Blob>;
  close(): Promise<void>;
};

function memorySpool(): Spool {
  let all = '';
  return {
    async add(lines) {
      all += lines;
    },
    with: async (lastLine) => all + lastLine,
    close: async () => {},
  };
}

/** For more than fits into memory. */
async function fileSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'shelf-import-'));
  const path = join(folder, 'records');
  const file = await open(path, 'ax', 0o600);
  let size = 0;
  async function write(text: string): Promise<number> {
    const bytes = Buffer.from(text);
    await file.appendFile(bytes).catch((error: Error) => {
      throw new StartError(`Cannot write to ${folder} (${error.message}): check the disk.`);
    });
    return bytes.length;
  }
  return {
    async add(lines) {
      size += await write(lines);
    },
    async with(lastLine) {
      // An earlier attempt may have written its last line.
      await file.truncate(size);
      await write(lastLine);
      return Bun.file(path);
    },
    async close() {
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
