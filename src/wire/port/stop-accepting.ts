/**
 * Stops accepting connections without losing one. Closing a port resets the connections that the kernel has completed
 * and the program has not accepted yet, and a client that has sent a POST on one cannot know its outcome. On Linux a
 * socket filter drops new connection attempts first, and the connections in the queue are accepted. A client whose
 * attempt was dropped tries again after a second and is refused, which is safe to retry elsewhere.
 */
import { ptr } from 'bun:ffi';
import { setSocketOption } from './descriptor.ts';

const soAttachFilter = 26;
const fprogBytes = 16;

/**
 * Classic BPF over the TCP header: drops a segment with SYN and without ACK. Columns: code, operand, and for a comparison the
 * instructions to skip if it is false.
 */
const program: readonly (readonly [code: number, operand: number, ifFalse?: number])[] = [
  [0x30, 13], // load the byte with the flags
  [0x54, 0x12], // mask SYN and ACK
  [0x15, 0x02, 1], // SYN alone?
  [0x06, 0], // drop
  [0x06, 0xffffffff], // accept all of it
];

/** Returns false if the system does not support it; the port is then closed without it. */
export function dropNewConnections(descriptor: number): boolean {
  return setSocketOption(descriptor, soAttachFilter, filterOption(), fprogBytes);
}

/** A sock_fprog (instruction count, padding, address of the program), followed by the program. */
function filterOption(): Buffer {
  const option = Buffer.alloc(fprogBytes + program.length * 8);
  option.writeUInt16LE(program.length, 0);
  option.writeBigUInt64LE(BigInt(ptr(option)) + BigInt(fprogBytes), 8);
  for (const [index, [code, operand, ifFalse]] of program.entries()) {
    const at = fprogBytes + index * 8;
    option.writeUInt16LE(code, at);
    if (ifFalse !== undefined) option.writeUInt8(ifFalse, at + 3);
    option.writeUInt32LE(operand, at + 4);
  }
  return option;
}
