/** The configuration file of a running server: reads it, and replaces it whole. */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createFile, sync, takeAfter } from '../../storage/transfer/folder/whole-files.ts';
import { defaultFile } from '../config/config-file.ts';

/** What a server without a file has. */
export const noText = '{}\n';

/** A text that is written, and not yet in place. */
export type NextFile = {
  /** Takes the place of the file, at once and durably. Throws if the file is not the one that was read. */
  publish(): void;
  readonly isPublished: boolean;
  /** Back to the former file, if this one took its place, and no trace of this one. */
  undo(): void;
};

export class SettingsFile {
  readonly path: string;

  /** `given` is the file that the server has read; without one, a change creates the default file in the working folder. */
  constructor(given: string | undefined) {
    this.path = resolve(given ?? defaultFile);
  }

  get name(): string {
    return basename(this.path);
  }

  /** Undefined if there is no file. */
  read(): string | undefined {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(this.path));
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Why the file cannot be replaced; undefined if it can. */
  get obstacle(): string | undefined {
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return `${this.name} is a symbolic link: change the file that it leads to`;
    if (found !== undefined && !found.isFile()) return `${this.name} is not a regular file`;
    // Root may write to any file, and its mode still says what is wanted.
    if (found !== undefined && ((found.mode & 0o222) === 0 || !isWritable(this.path)))
      return `${this.name} is read-only for this server`;
    if (!isWritable(dirname(this.path))) return `the folder of ${this.name} is read-only for this server`;
    return undefined;
  }

  /** Writes the text to a file beside this one. `former` is the text that it replaces; undefined for no file. */
  prepare(text: string, former: string | undefined): NextFile {
    const written = this.#write(text);
    let isPublished = false;
    return {
      get isPublished() {
        return isPublished;
      },
      publish: () => {
        // PostgreSQL may run a transaction again.
        if (isPublished) return;
        if (this.read() !== former) throw new ChangedMeanwhile();
        isPublished = true;
        renameSync(written, this.path);
        sync(dirname(this.path));
      },
      undo: () => {
        rmSync(written, { force: true });
        if (!isPublished) return;
        if (former === undefined) rmSync(this.path, { force: true });
        else renameSync(this.#write(former), this.path);
        sync(dirname(this.path));
      },
    };
  }

  #write(text: string): string {
    const path = join(dirname(this.path), `.${this.name}.${crypto.randomUUID().slice(0, 8)}.partial`);
    const descriptor = createFile(path);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
      takeAfter(path, this.path);
      return path;
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Another program has changed the file between reading and replacing it. */
export class ChangedMeanwhile extends Error {}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A strong ETag, quoted. */
export function tagOf(text: string): string {
  return `"${new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
