/** Server-sent events (HTML standard), from the body of an answer. */

export type ServerEvent = {
  /** The last id so far; undefined before the first. */
  readonly id: string | undefined;
  /** The empty text for an event without a name. */
  readonly type: string;
  /** The empty text for an event that only has an id. */
  readonly data: string;
  /** Whether further events have arrived with it. */
  readonly more: boolean;
};

/** `read` resolves with the next bytes, or undefined at the end. */
export async function* eventsIn(read: () => Promise<Uint8Array | undefined>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  let id: string | undefined;
  let type = '';
  let data: string[] = [];
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
    text += decoder.decode(bytes, { stream: true });
    const lines = text.split('\n');
    // The last line is not complete.
    text = lines.pop() ?? '';
    const lastBlank = Math.max(lines.lastIndexOf(''), lines.lastIndexOf('\r'));
    for (const [index, line] of lines.entries()) {
      const [, name, value = ''] = /^(\w*)(?:: ?)?(.*?)\r?$/s.exec(line) ?? [];
      if (line === '' || line === '\r') {
        yield { id, type, data: data.join('\n'), more: index < lastBlank };
        type = '';
        data = [];
      } else if (name === 'id') id = value;
      else if (name === 'event') type = value;
      else if (name === 'data') data.push(value);
    }
  }
}
