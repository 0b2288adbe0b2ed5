/** File descriptors of sockets, and their options. */
import { FFIType } from 'bun:ffi';
import { callLibc } from './libc.ts';

/** Bun's listeners and sockets have `fd`, but their types do not. Negative if it is closed. */
export function descriptorOf(socket: object): number {
  return 'fd' in socket && typeof socket.fd === 'number' ? socket.fd : -1;
}

/**
 * A second descriptor of the same socket. The socket and the connections that wait in its queue stay when the first
 * one is closed. Undefined if the system does not support it.
 */
export function duplicate(descriptor: number): number | undefined {
  const { i32 } = FFIType;
  const copy = callLibc({ dup: { args: [i32], returns: i32 } }, ({ dup }) => dup(descriptor));
  return copy === undefined || copy < 0 ? undefined : copy;
}

const solSocket = 1;

/** `option` has the number that it has on Linux. Returns false if the system does not support it. */
export function setSocketOption(
  descriptor: number,
  option: number,
  value: Uint8Array,
  size = value.byteLength,
): boolean {
  if (process.platform !== 'linux') return false;
  const { i32, ptr: pointer, u32 } = FFIType;
  const failed = callLibc({ setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } }, ({ setsockopt }) =>
    setsockopt(descriptor, solSocket, option, value, size),
  );
  return failed === 0;
}
