/** Reads server-sent events from a response: `EventSource` could not send a key. */
export type ServerEvent = { readonly id: string; readonly event: string; readonly data: string };

/** `id` is the position of the stream after the event; an event without data has only moved it. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  let id = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + decoder.decode(read.value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block, id);
        id = event.id;
        yield event;
      }
    }
  } finally {
    // The reader of the events may stop before they end.
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block: string, lastId: string): ServerEvent {
  const found = { id: lastId, event: '', data: '' };
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') found.id = value;
    else if (name === 'event') found.event = value;
    else if (name === 'data') found.data += value;
  }
  return found;
}
