/** One ETag stands for the same bytes in every answer of a server. */

/** Tags are remembered until so many newer ones have come. */
const remembered = 10_000;

export class Tags {
  readonly #bodies = new Map<string, string>();
  distinct = 0;

  /** Returns what is wrong. */
  add(tag: string | undefined, body: Buffer): string | undefined {
    if (tag === undefined) return 'has no ETag';
    const described = `${body.byteLength} bytes with digest ${Bun.hash(body).toString(16)}`;
    const before = this.#bodies.get(tag);
    if (before !== undefined) return before === described ? undefined : `ETag ${tag}: ${before}, now ${described}`;
    this.#bodies.set(tag, described);
    this.distinct++;
    const [oldest] = this.#bodies.keys();
    if (this.#bodies.size > remembered && oldest !== undefined) this.#bodies.delete(oldest);
    return undefined;
  }
}
