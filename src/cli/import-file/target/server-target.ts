/** Imports through a server, with a key. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collection } from '../../../domain/collection.ts';
import { Failure, type FailureCode, failures, type Problem, StartError } from '../../../domain/errors.ts';
import { printable } from '../../../domain/printable.ts';
import type { ImportBatch, Imported } from '../../../domain/store.ts';
import { suggestion } from '../../../domain/suggest.ts';
import { compiledFrom, listedIn } from '../../remote/server-index.ts';
import { authorityFix } from '../../remote/unknown-authority.ts';
import { importedIn, validIn } from './bulk-answer.ts';
import { type Target, type TargetBulk, Unreachable } from './import-target.ts';

/** A bulk can wait for others; a large one takes as long as it takes. */
const answerMs = { small: 120_000, large: 3_600_000 };

/** `key` is undefined if there is none. Throws a StartError. */
export async function openServer(url: string, name: string, key: string | undefined): Promise<Target> {
  const server = new Server(url.replace(/\/+$/, ''), key);
  const declared = await server.collection(name);
  return {
    label: server.url,
    collection: declared,
    isShared: true,
    bulk: async (isLarge) => (isLarge ? await LargeBulk.open(server, declared) : new SmallBulk(server, declared)),
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

  async import(
    { name }: Collection,
    body: Blob | string,
    { count, isAgain }: { readonly count: number; readonly isAgain: boolean },
    withinMs: number,
  ): Promise<readonly Imported[]> {
    const path = `/api/v2/${name}/bulk?import=${isAgain ? 'again' : 'once'}`;
    return await this.#bulk(path, body, withinMs, (answer) => importedIn(answer, count));
  }

  async check({ name }: Collection, body: Blob | string, withinMs: number): Promise<number> {
    return await this.#bulk(`/api/v2/${name}/bulk?dry_run=true`, body, withinMs, validIn);
  }

  /** `resultIn` returns undefined for what is not the answer to a bulk. */
  async #bulk<Result>(
    path: string,
    body: Blob | string,
    withinMs: number,
    resultIn: (answer: unknown) => Result | undefined,
  ): Promise<Result> {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const answer = await this.send(path, { method: 'POST', headers, body }, withinMs);
    const result = resultIn(await answer.json().catch(() => undefined));
    if (result !== undefined) return result;
    throw new Unreachable(
      `${this.url} answered ${answer.status} with something else than the result of a bulk: check --url`,
    );
  }
}

/** Undefined if the answer is not from Shelf. Its texts are for a terminal. */
async function failureOf(answer: Response): Promise<Failure | undefined> {
  try {
    const { type, detail, errors } = (await answer.json()) as {
      readonly type: string;
      readonly detail: string;
      readonly errors?: readonly { readonly pointer: string; readonly detail: string; readonly line?: number }[];
    };
    const code = type.replace('/problems/', '').replaceAll('-', '_');
    if (!Object.hasOwn(failures, code)) return undefined;
    const problems = errors?.map(
      ({ pointer, detail: message, line }): Problem => ({
        field: pointer === '#' ? undefined : printable(decodeURIComponent(pointer.slice(2))),
        message: printable(message),
        ...(line === undefined ? {} : { line }),
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

class SmallBulk implements TargetBulk {
  #body = '';

  constructor(
    readonly server: Server,
    readonly to: Collection,
  ) {}

  async add(records: readonly string[]): Promise<void> {
    this.#body += linesOf(records);
  }

  commit(batches: readonly ImportBatch[], isAgain: boolean): Promise<readonly Imported[]> {
    return this.server.import(
      this.to,
      this.#body + lineOf(batches),
      { count: batches.length, isAgain },
      answerMs.small,
    );
  }

  check(): Promise<number> {
    return this.server.check(this.to, this.#body, answerMs.small);
  }

  async close(): Promise<void> {}
}

/** In a file of its own until all records are there. */
class LargeBulk implements TargetBulk {
  /** Bytes of all records. */
  #size = 0;

  private constructor(
    readonly server: Server,
    readonly to: Collection,
    readonly folder: string,
    readonly file: Awaited<ReturnType<typeof open>>,
  ) {}

  static async open(server: Server, to: Collection): Promise<LargeBulk> {
    const folder = await mkdtemp(join(tmpdir(), 'shelf-import-'));
    return new LargeBulk(server, to, folder, await open(join(folder, 'records'), 'ax', 0o600));
  }

  async add(records: readonly string[]): Promise<void> {
    const lines = Buffer.from(linesOf(records));
    await this.#write(lines);
    this.#size += lines.length;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await this.file.appendFile(bytes);
    } catch (error) {
      throw new StartError(`Cannot write to ${this.folder} (${(error as Error).message}): check the disk.`);
    }
  }

  async commit(batches: readonly ImportBatch[], isAgain: boolean): Promise<readonly Imported[]> {
    // An earlier attempt may have written the line.
    await this.file.truncate(this.#size);
    await this.#write(Buffer.from(lineOf(batches)));
    return this.server.import(this.to, this.#body, { count: batches.length, isAgain }, answerMs.large);
  }

  check(): Promise<number> {
    return this.server.check(this.to, this.#body, answerMs.large);
  }

  async close(): Promise<void> {
    await this.file.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #body(): Blob {
    return Bun.file(join(this.folder, 'records'));
  }
}
