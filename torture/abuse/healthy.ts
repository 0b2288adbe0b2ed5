/**
 * A client that behaves, in a process of its own so that nothing but the server keeps it waiting: asks for a record every
 * few milliseconds, and now and then adds one. A line on standard input begins a window of that name, or goes on with it; at
 * the end of the input it prints what it saw in each.
 */
const [url = ''] = process.argv.slice(2);
const everyMs = 4;

const windows = new Map<string, { times: number[]; errors: number }>();
let current = { times: [] as number[], errors: 0 };
let ended = false;

async function listen(): Promise<void> {
  let text = '';
  for await (const chunk of Bun.stdin.stream()) {
    text += new TextDecoder().decode(chunk);
    const words = text.split('\n');
    text = words.pop() ?? '';
    for (const word of words) {
      current = windows.get(word) ?? { times: [], errors: 0 };
      windows.set(word, current);
    }
  }
  ended = true;
}

async function ask(): Promise<void> {
  for (let n = 0; !ended; n++) {
    const window = current;
    const begun = performance.now();
    const write = n % 20 === 0 ? { method: 'POST', body: `{"id":${n},"name":"healthy","price":1}` } : {};
    const path = n % 20 === 0 ? '/api/users' : '/api/items/1';
    const ok = await fetch(url + path, write).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.ok;
      },
      () => false,
    );
    const took = performance.now() - begun;
    window.times.push(took);
    if (!ok) window.errors++;
    await Bun.sleep(Math.max(everyMs - took, 0));
  }
}

await Promise.all([listen(), ask()]);
const seen = [...windows].map(([name, { times, errors }]) => {
  times.sort((left, right) => left - right);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return [name, { requests: times.length, errors, p50: at(0.5), p99: at(0.99) }] as const;
});
process.stdout.write(`${JSON.stringify(Object.fromEntries(seen))}\n`);

export {};
