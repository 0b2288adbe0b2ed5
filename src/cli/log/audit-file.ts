/**
 * The file of --audit. Each batch of lines opens it, and is appended with one write: so lines of several processes are whole, and a file
 * that was moved away by a rotation is replaced by a new one.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { StartError } from '../../domain/errors.ts';
import { printable } from '../../domain/input/printable.ts';
import type { Audit, AuditEntry } from '../../http/observe/audit.ts';
import type { Log } from '../../http/observe/log-entry.ts';
import { LineQueue } from './line-queue.ts';

const mode = 0o600;
/** Without O_NONBLOCK, a pipe that nobody reads would stop a thread. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
const retryMs = 1000;
/** Why less was written than was to be. */
const full = 'the disk is full';

/** Not an outcome of a request. */
type Note = { readonly outcome: 'started' | 'lines dropped'; readonly count?: number };

export function auditLine(entry: AuditEntry | Note, time: string): string {
  return `${printable(JSON.stringify({ time, ...entry }))}\n`;
}

/** Throws a StartError if the file cannot be written, or the disk is full: that is why it writes a line. */
export async function startAuditFile(path: string): Promise<void> {
  await requireWritten(path, auditLine({ outcome: 'started' }, new Date().toISOString()));
}

/** For a command, before it changes anything. Throws a StartError. */
export async function requireAuditFile(path: string): Promise<void> {
  await requireWritten(path, '');
}

async function requireWritten(path: string, line: string): Promise<void> {
  try {
    await appendWhole(path, line);
  } catch (error) {
    throw new StartError(
      `Cannot write --audit ${path} (${(error as Error).message}): check the path, its permissions and the space on its disk.`,
    );
  }
}

/** For a command. Rejects if the line cannot be written. */
export async function appendAudit(path: string, entry: AuditEntry): Promise<void> {
  await appendWhole(path, auditLine(entry, new Date().toISOString()));
}

async function appendWhole(path: string, line: string): Promise<void> {
  const bytes = Buffer.from(line);
  if ((await append(path, bytes)) < bytes.length) throw new Error(full);
}

/** For the first thread of a process. A file that cannot be written is reported once, and tried again; lines wait meanwhile. */
export class AuditFile {
  readonly lines = new LineQueue((batch) => this.#append(batch), dropped);
  #isFailing = false;
  #isClosed = false;

  constructor(
    readonly path: string,
    readonly log: Log,
    readonly disk = { append, retryMs },
  ) {}

  /** Lines that cannot be written within a second are lost. */
  async close(): Promise<void> {
    await this.lines.flush();
    this.#isClosed = true;
  }

  async #append(batch: Uint8Array): Promise<void> {
    for (let rest = batch; rest.length > 0 && !this.#isClosed; ) {
      try {
        rest = restOf(rest, await this.disk.append(this.path, rest));
        if (rest.length > 0) throw new Error(full);
        if (this.#isFailing) this.#report('info', 'is written again. Lines that are missing are counted in it.');
        this.#isFailing = false;
      } catch (error) {
        const why = error instanceof Error ? error.message : error;
        if (!this.#isFailing)
          this.#report(
            'error',
            `cannot be written (${why}). It is tried again every second, and up to 8 MiB of lines wait; further ones are dropped and counted.`,
          );
        this.#isFailing = true;
        await Bun.sleep(this.disk.retryMs);
      }
    }
  }

  #report(level: 'info' | 'error', what: string): void {
    this.log({ level, event: 'audit', message: `--audit ${this.path} ${what}` });
  }
}

/** For another thread, which gives its lines to the first one. */
export function auditOverMain(main: { writeAudit(batch: Uint8Array): Promise<void> }): LineQueue {
  return new LineQueue((batch) => main.writeAudit(batch).catch(() => {}), dropped);
}

export function auditTo(lines: LineQueue): Audit {
  return (entry) => void lines.write(Buffer.from(auditLine(entry, new Date().toISOString())));
}

function dropped(count: number, time: string): object {
  return { time, outcome: 'lines dropped', count } satisfies Note & { time: string };
}

/** Resolves with the number of bytes that were written. */
async function append(path: string, bytes: Uint8Array): Promise<number> {
  const file = await open(path, flags, mode);
  try {
    return bytes.length === 0 ? 0 : (await file.write(bytes)).bytesWritten;
  } finally {
    await file.close();
  }
}

/** What remains when only so many bytes were written: a line that was torn is written again, whole, on a line of its own. */
export function restOf(bytes: Uint8Array, written: number): Uint8Array {
  const whole = bytes.subarray(0, written).lastIndexOf(10) + 1;
  const rest = bytes.subarray(whole);
  return written > whole ? Buffer.concat([Buffer.from('\n'), rest]) : rest;
}
