/** The file to import, or standard input, in pieces. */
import { type FileHandle, open } from 'node:fs/promises';
import { StartError } from '../../domain/errors.ts';
import type { FileSource } from '../../import/cut-batches.ts';
import { collector } from './collect-garbage.ts';

export type Input = FileSource & { close(): Promise<void> };

const pieceBytes = 256 * 1024;
/** Bytes that are read without a pause: about a millisecond. */
const bytesPerTurn = 4 * 1024;

/** `-` is standard input. Throws a StartError. */
export async function openInput(path: string): Promise<Input> {
  if (path === '-') {
    return {
      name: 'standard input',
      size: undefined,
      pieces: () => inTurns(Bun.stdin.stream()),
      close: async () => {},
    };
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
      pieces: () => inTurns(piecesOf(opened, path, stat.isFile())),
      close: () => opened.close(),
    };
  } catch (error) {
    await file?.close();
    throw unreadable(path, error);
  }
}

/** A pipe has no places to read from. */
export async function* piecesOf(file: FileHandle, path: string, hasPlaces: boolean): AsyncGenerator<Uint8Array> {
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

async function* inTurns(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const collect = collector();
  for await (const piece of pieces) {
    collect();
    for (let at = 0; at < piece.length; at += bytesPerTurn) {
      yield piece.subarray(at, at + bytesPerTurn);
      // The database may have answered, and waits for what comes next.
      await new Promise(setImmediate);
    }
  }
}

function unreadable(path: string, error: unknown): StartError {
  const { code, message } = error as { code?: string; message: string };
  const why = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'it may not be read' }[code ?? ''];
  return new StartError(`Cannot read ${path}: ${why ?? message}.`);
}
