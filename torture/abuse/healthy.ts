/**
 * A healthy client, in its own process so that only the server can delay it. It reads a record every few milliseconds, and
 * sometimes adds one. A line on standard input starts or continues the window of that name; at the end of the input it
 * prints the figures of every window as JSON.
 */
import { ask as send } from './sockets.ts';

const [url = ''] = process.argv.slice(2);
const everyMs = 4;

const windows = new Map<string, { times: number[]; errors: number }>();
let current = { times: [] as number[], errors: 0 };
let ended = false;

async function listen(): Promise<void> {
  let text = '';
  for await (const chunk of Bun.stdin.stream()) {
    text += new TextDecoder().decode(chunk);
    const names = text.split('\n');
    text = names.pop() ?? '';
    for (const name of names) {
      current = windows.get(name) ?? { times: [], errors: 0 };
      windows.set(name, current);
    }
  }
  ended = true;
}

async function ask(): Promise<void> {
  for (let n = 0; !ended; n++) {
    const window = current;
    const start = performance.now();
    const write = n % 20 === 0 ? { method: 'POST', body: `{"id":${n},"name":"healthy","price":1}` } : {};
    const path = n % 20 === 0 ? '/api/users' : '/api/items/1';
    const ok = await send(url + path, write).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.ok;
      },
      () => false,
    );
    const took = performance.now() - start;
    window.times.push(took);
    if (!ok) window.errors++;
    await Bun.sleep(Math.max(everyMs - took, 0));
  }
}

await Promise.all([listen(), ask()]);
const figures = [...windows].map(([name, { times, errors }]) => {
  times.sort((left, right) => left - right);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return [name, { requests: times.length, errors, p50: at(0.5), p99: at(0.99) }] as const;
});
process.stdout.write(`${JSON.stringify(Object.fromEntries(figures))}\n`);
