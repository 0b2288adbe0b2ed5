/** File descriptors of listening sockets. */
import { FFIType } from 'bun:ffi';
import { callLibc } from './libc.ts';

/** Bun's listener has `fd`, but its type does not. */
export function descriptorOf(listener: object): number {
  return 'fd' in listener && typeof listener.fd === 'number' ? listener.fd : -1;
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
