/**
 * Ends the accepting of connections without losing one. Closing a port resets the connections that the system has
 * completed and the program has not accepted yet, and a client that has sent a POST on one cannot know what became of
 * it. Linux can be told to ignore new connection attempts first: those in its queue are accepted then, and a client that
 * was ignored tries again after a second and is refused, which is safe to retry elsewhere.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi';

const solSocket = 1;
const soAttachFilter = 26;
const headBytes = 16;

/** Classic BPF over the TCP header: drops a segment with SYN and without ACK. Code, jumps if true and false, operand. */
const program = [
  [0x30, 0, 0, 13], // load the byte with the flags
  [0x54, 0, 0, 0x12], // keep SYN and ACK of them
  [0x15, 0, 1, 0x02], // SYN alone?
  [0x06, 0, 0, 0], // drop
  [0x06, 0, 0, 0xffffffff], // take all of it
] as const;

const libraries = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

/** False where the system cannot do it; the port is then closed without. */
export function ignoreConnects(descriptor: number): boolean {
  if (process.platform !== 'linux') return false;
  const option = filterOption();
  for (const library of libraries) {
    try {
      const { i32, ptr: pointer, u32 } = FFIType;
      const libc = dlopen(library, { setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } });
      const failed = libc.symbols.setsockopt(descriptor, solSocket, soAttachFilter, option, headBytes);
      libc.close();
      return failed === 0;
    } catch {
      // The other C library, or none that can be loaded.
    }
  }
  return false;
}

/** How many instructions there are, behind padding the address of the first, and behind that the program itself. */
function filterOption(): Buffer {
  const option = Buffer.alloc(headBytes + program.length * 8);
  option.writeUInt16LE(program.length, 0);
  option.writeBigUInt64LE(BigInt(ptr(option)) + BigInt(headBytes), 8);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    const at = headBytes + index * 8;
    option.writeUInt16LE(code, at);
    option.writeUInt8(ifTrue, at + 2);
    option.writeUInt8(ifFalse, at + 3);
    option.writeUInt32LE(operand, at + 4);
  }
  return option;
}
