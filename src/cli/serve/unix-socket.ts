/** The Unix socket of --listen: made with its access rights, in place of one that a killed server has left. */
import { chmodSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import { descriptorOf, duplicate } from '../../wire/port/descriptor.ts';

/** Bytes. The system allows 103 to 107 in the address of a socket. */
const maxPath = 100;
/** For the owner and the group: a proxy of another user joins the group. */
const mode = 0o660;

export type UnixSocket = {
  /** Listens already. */
  readonly descriptor: number;
  /** Removes the file, unless another server has replaced it. */
  remove(): void;
};

/** Throws a StartError that names the path. */
export async function openUnixSocket(path: string): Promise<UnixSocket> {
  if (Buffer.byteLength(path) > maxPath)
    throw new StartError(
      `Cannot listen on unix:${path}: the path has more than ${maxPath} bytes. Choose a shorter one.`,
    );
  await requireFree(path);
  const { descriptor, inode } = bind(path);
  return {
    descriptor,
    remove() {
      if (statSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path, { force: true });
    },
  };
}

async function requireFree(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket())
    throw new StartError(`Cannot listen on unix:${path}: the file is not a socket. Choose another path for --listen.`);
  if (await isServed(path)) {
    throw new StartError(
      `Cannot listen on unix:${path}: another process serves it. Stop that process, or choose another path for --listen.`,
    );
  }
}

/** False for a file that a killed process has left. */
function isServed(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket
    .on('connect', () => resolve(true))
    .on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  return promise.finally(() => socket.destroy());
}

/**
 * The socket gets its final name last: nobody can connect before it has its mode, and the runtime, which removes the
 * file that it has made when its listener stops, does not find it.
 */
function bind(path: string): { readonly descriptor: number; readonly inode: number } {
  const making = join(dirname(path), `.${process.pid.toString(36)}`);
  try {
    const listener = Bun.listen({ unix: making, socket: { data() {} } });
    try {
      chmodSync(making, mode);
      const descriptor = duplicate(descriptorOf(listener));
      if (descriptor === undefined) throw new Error('this system cannot duplicate a socket');
      const inode = statSync(making).ino;
      renameSync(making, path);
      return { descriptor, inode };
    } finally {
      listener.stop();
    }
  } catch (error) {
    throw new StartError(
      `Cannot listen on unix:${path} (${(error as Error).message}): check that its folder exists and is writable.`,
    );
  }
}
