/**
 * Content that many answers share, such as a list, as files in memory: the kernel sends the pages of a file as they are, where a write
 * would copy them for each answer. A file is never changed, because a client may still have to read it.
 */
import { FFIType, ptr } from 'bun:ffi';
import { closeSync, writeSync } from 'node:fs';
import type { Bytes } from '../../domain/bytes.ts';
import { descriptorOf } from '../port/descriptor.ts';
import { openLibc } from '../port/libc.ts';

const { i32, u32, u64, i64_fast: size, ptr: pointer } = FFIType;
const functions = {
  memfd_create: { args: [pointer, u32], returns: i32 },
  send: { args: [i32, pointer, u64, i32], returns: size },
  sendfile: { args: [i32, i32, pointer, u64], returns: size },
} as const;

const flags = { dontWait: 0x40, noSignal: 0x4000, more: 0x8000 };
/** Flag of `memfd_create`: a program that this process starts does not inherit the file. */
const closeOnExec = 1;
/** In bytes. Shorter and longer content showed no gain over a copy. */
const worthwhile = { least: 32 * 1024, most: 256 * 1024 };
/** Contents that are remembered, and so files that are open at a time. */
const maxFiles = 8;
/** The name of each file in /proc/PID/fd. Kept here, because its address is used later. */
const fileName = Buffer.from('shelf\0');
/** In bytes; an answer with a longer head is written as any other. */
const maxHead = 8 * 1024;

type Calls = NonNullable<ReturnType<typeof openLibc<typeof functions>>>['symbols'];

/** Undefined where the system has no such files. */
export function openSharedFiles(): SharedFiles | undefined {
  const libc = process.platform === 'linux' ? openLibc(functions) : undefined;
  return libc === undefined ? undefined : new SharedFiles(libc.symbols);
}

export class SharedFiles {
  /** By content; undefined for one that was sent once. The one that was sent last is the last. */
  readonly #files = new Map<Bytes, number | undefined>();
  readonly #head = Buffer.alloc(maxHead);
  readonly #from = new BigInt64Array(new ArrayBuffer(8));
  /** Addresses for the C library. The fields keep their memory from being freed. */
  readonly #at = { head: ptr(this.#head), from: ptr(this.#from), name: ptr(fileName) };

  constructor(readonly calls: Calls) {}

  /** Returns how many bytes of both the kernel has accepted; 0 if they have to be written. The socket must have nothing unsent. */
  send(socket: object, head: string, content: Bytes): number {
    const descriptor = descriptorOf(socket);
    const file = descriptor >= 0 && head.length <= maxHead ? this.#fileOf(content) : undefined;
    if (file === undefined) return 0;
    this.#head.write(head, 'latin1');
    const { dontWait, noSignal, more } = flags;
    const sent = Number(this.calls.send(descriptor, this.#at.head, head.length, dontWait | noSignal | more));
    if (sent < head.length) return Math.max(0, sent);
    this.#from[0] = 0n;
    return sent + Math.max(0, Number(this.calls.sendfile(descriptor, file, this.#at.from, content.length)));
  }

  close(): void {
    for (const file of this.#files.values()) if (file !== undefined) closeSync(file);
    this.#files.clear();
  }

  /** Undefined for content that is sent for the first time: it may be the last time, too. */
  #fileOf(content: Bytes): number | undefined {
    if (content.length < worthwhile.least || content.length > worthwhile.most) return undefined;
    const file = this.#files.has(content) ? (this.#files.get(content) ?? this.#fileWith(content)) : undefined;
    this.#files.delete(content);
    this.#files.set(content, file);
    const [oldest] = this.#files;
    if (oldest !== undefined && this.#files.size > maxFiles) {
      this.#files.delete(oldest[0]);
      if (oldest[1] !== undefined) closeSync(oldest[1]);
    }
    return file;
  }

  /** Undefined if there is no room for it, or the process has too many open files. */
  #fileWith(content: Bytes): number | undefined {
    const file = this.calls.memfd_create(this.#at.name, closeOnExec);
    if (file < 0) return undefined;
    try {
      for (let written = 0; written < content.length; ) written += writeSync(file, content, written);
      return file;
    } catch {
      closeSync(file);
      return undefined;
    }
  }
}
