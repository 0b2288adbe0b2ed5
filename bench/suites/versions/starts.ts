/** The time to start with a hundred collections, beside that with two: many declarations must not delay a server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, median } from '../../measure/claim.ts';
import { shelfFile } from '../../servers/books.ts';
import { root } from '../../servers/launch.ts';
import { shelfCommand } from '../../servers/shelf.ts';

const most = 1.5;

/** Books like those of the benchmark, without the reference: it needs the authors. */
function filesWith(count: number) {
  const { author: _, ...fields } = shelfFile.collections.books.fields;
  const self = (name: string) => ({ type: 'reference', to: name, optional: true });
  const names = Array.from({ length: count }, (_, n) => `books_${n + 1}`);
  const declared = names.map((name) => [name, { fields: { ...fields, sequel: self(name) }, indexes: ['state'] }]);
  return { items: false, users: false, collections: Object.fromEntries(declared) };
}

/** From the command to the line that says where it serves; all cores are free for it. */
async function startMs(folder: string, count: number): Promise<number> {
  const command = shelfCommand(`sqlite:${join(folder, `${count}.db`)}`).map((part) => (part === 'off' ? 'json' : part));
  const started = performance.now();
  const child = Bun.spawn([...command, '--config', join(folder, `${count}.json`), '--port', '0', '--drain', '0s'], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let text = '';
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('"listening"')) break;
  }
  const ms = performance.now() - started;
  child.kill('SIGTERM');
  await child.exited;
  return ms;
}

export async function starts(folder: string, rounds: number, say: (text: string) => void): Promise<Claim[]> {
  const counts = [2, 100] as const;
  const times = new Map(counts.map((count) => [count, [] as number[]]));
  for (const count of counts) {
    writeFileSync(join(folder, `${count}.json`), JSON.stringify(filesWith(count)));
    // The first start creates the tables.
    await startMs(folder, count);
  }
  for (let round = 0; round < rounds; round++) {
    say(`starts, round ${round + 1}/${rounds}`);
    for (const count of counts) times.get(count)?.push(await startMs(folder, count));
  }
  const [few = Number.NaN, many = Number.NaN] = counts.map((count) => median(times.get(count) ?? []));
  const ratio = many / few;
  return [
    {
      title: 'start with 100 collections of ten fields',
      value: `${ratio.toFixed(2)}x the start with two (${many.toFixed(0)} and ${few.toFixed(0)} ms)`,
      must: `<= ${most}x`,
      holds: ratio <= most,
    },
  ];
}
