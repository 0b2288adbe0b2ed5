/** The C library, for system calls that the runtime does not offer. */
import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

const musl = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`;
const libraries = process.platform === 'darwin' ? ['libSystem.B.dylib'] : ['libc.so.6', musl];

/** Returns undefined if the library cannot be loaded, or lacks one of the functions. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions> | undefined {
  for (const library of libraries) {
    try {
      return dlopen(library, functions);
    } catch {
      // This C library cannot be loaded: try the other one.
    }
  }
  return undefined;
}

/** Returns undefined if the library cannot be loaded. */
export function callLibc<Functions extends Record<string, FFIFunction>, Result>(
  functions: Functions,
  call: (symbols: Library<Functions>['symbols']) => Result,
): Result | undefined {
  const libc = openLibc(functions);
  if (libc === undefined) return undefined;
  const result = call(libc.symbols);
  libc.close();
  return result;
}
