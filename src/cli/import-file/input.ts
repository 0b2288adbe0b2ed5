/** The file to import, or standard input, in pieces. */
import { type FileHandle, open } from 'node:fs/promises';
import { StartError } from '../../domain/errors.ts';

export type Input = {
  /** For messages. */
  readonly name: string;
  /** In bytes; undefined if it is not known before the end. */
  readonly size: number | undefined;
  /** A piece is valid until the next one is asked for. A file is read from its start each time. */
  pieces(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
};

const pieceBytes = 256 * 1024;

/** `-` is standard input. Throws a StartError. */
export async function openInput(path: string): Promise<Input> {
  if (path === '-') {
    return { name: 'standard input', size: undefined, pieces: piecesOfStandardInput, close: async () => {} };
  }
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const stat = await file.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    const opened = file;
    return {
      name: path,
      size: stat.isFile() ? stat.size : undefined,
      pieces: () => piecesOf(opened, path, stat.isFile()),
      close: () => opened.close(),
    };
  } catch (error) {
    await file?.close();
    throw unreadable(path, error);
  }
}

/** A pipe has no places to read from. */
async function* piecesOf(file: FileHandle, path: string, hasPlaces: boolean): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(pieceBytes);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, hasPlaces ? at : null).catch((error) => {
      throw unreadable(path, error);
    });
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* piecesOfStandardInput(): AsyncGenerator<Uint8Array> {
  for await (const piece of Bun.stdin.stream()) yield piece;
}

function unreadable(path: string, error: unknown): StartError {
  const { code, message } = error as { code?: string; message: string };
  const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'it may not be read' }[code ?? ''];
  return new StartError(`Cannot read ${path}: ${why ?? message}.`);
}
