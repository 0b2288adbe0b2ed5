/**
 * Lets others listen on the port of a socket that listens already. It was opened alone, so the system has refused a port that is in use;
 * a socket that shares its port from the beginning would silently join another server that does.
 */
import { FFIType, ptr } from 'bun:ffi';
import { callLibc } from './libc.ts';

const solSocket = 1;
const soReusePort = 15;

/** Returns false if the system does not support it. */
export function sharePort(descriptor: number): boolean {
  if (process.platform !== 'linux') return false;
  const on = new Int32Array([1]);
  const { i32, ptr: pointer, u32 } = FFIType;
  const failed = callLibc({ setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } }, ({ setsockopt }) =>
    setsockopt(descriptor, solSocket, soReusePort, ptr(on), on.byteLength),
  );
  return failed === 0;
}
