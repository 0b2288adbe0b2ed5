/**
 * Lets others listen on the port of a socket that listens already. It was opened alone, so the system has refused a port that is in use;
 * a socket that shares its port from the beginning would silently join another server that does.
 */
import { setSocketOption } from './descriptor.ts';

const soReusePort = 15;

/** Returns false if the system does not support it. */
export function sharePort(descriptor: number): boolean {
  return setSocketOption(descriptor, soReusePort, new Uint8Array(new Int32Array([1]).buffer));
}
