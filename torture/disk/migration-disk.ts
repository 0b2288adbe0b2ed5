/** The disk fills up during a migration, at a start and while a server runs: the old shape stays, whole, and the message says why. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, startShelf } from '../../test/support/servers/process.ts';
import type { Torture } from '../support/torture.ts';
import { integrity } from '../support/writers.ts';
import { onSmallDisk } from './small-disk.ts';

const records = 20_000;

export const migrationDisk: Torture = ({ folder, say }) =>
  onSmallDisk(folder, 16, async () => {
    const path = join(folder, 'books.db');
    const file = (name: string, fields: object) => {
      const target = join(folder, `${name}.json`);
      writeFileSync(target, JSON.stringify({ collections: { books: { singular: 'book', fields } } }));
      return target;
    };
    const old = file('old', { title: 'text', note: 'text' });
    // A required field that becomes optional is a table of another shape, so all records are copied.
    const next = file('next', { title: 'text', note: { type: 'text', optional: true } });
    const args = ['--database', `sqlite:${path}`, '--log', 'off'];
    const shelf = await startShelf({ args: [...args, '--config', old] });
    const body = Array.from({ length: records }, (_, n) => JSON.stringify({ title: `t${n}`, note: 'n'.repeat(50) }));
    const answer = await fetch(`${shelf.url}/api/v2/books`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: body.join('\n'),
    });
    const complaints: string[] = [];
    if (answer.status !== 201) complaints.push(`expected 201, got ${answer.status} ${await answer.text()}`);
    await shelf.stop();
    const ballast = join(folder, 'ballast');
    fill(ballast);

    const child = Bun.spawn([...command, ...args, '--config', next], { stdout: 'pipe', stderr: 'pipe' });
    const [code, message] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    say(message.trim());
    if (code !== 1) complaints.push(`expected exit code 1, got ${code}`);
    if (!/full/.test(message) || message.trim().includes('\n'))
      complaints.push(`expected one line about the full disk, got ${JSON.stringify(message)}`);
    rmSync(ballast, { force: true });
    if (integrity(path) !== 'ok') complaints.push(`integrity check: ${integrity(path)}`);
    for (const config of [old, next]) {
      const again = await startShelf({ args: [...args, '--config', config] });
      const page = await (await fetch(`${again.url}/api/v2/books?count=exact&limit=1`)).json();
      const { total } = page as { total: number };
      if (total !== records) complaints.push(`expected ${records} records, got ${total}`);
      await again.stop();
    }
    complaints.push(...(await whileServed([...args, '--config', next], next, ballast, say)));
    return { figures: { records }, complaints };
  });

/** As much as fits, but for less than a copy of the records needs. */
function fill(ballast: string): void {
  for (let megabytes = 16; megabytes > 0; megabytes--) {
    try {
      writeFileSync(ballast, new Uint8Array(megabytes * 1024 * 1024));
      return;
    } catch {
      rmSync(ballast, { force: true });
    }
  }
}

/** A running server is to change its declarations: to copy all records, and to lose values after a backup. */
async function whileServed(
  args: readonly string[],
  file: string,
  ballast: string,
  say: (progress: string) => void,
): Promise<string[]> {
  const complaints: string[] = [];
  const shelf = await startShelf({ args });
  const settings = `${shelf.url}/api/v2/settings`;
  const before = readFileSync(file, 'utf8');
  async function change(fields: object): Promise<string> {
    const text = JSON.stringify({ collections: { books: { singular: 'book', fields } } });
    const tag = (await fetch(settings)).headers.get('etag') ?? '';
    const answer = await fetch(settings, {
      ...{ method: 'PUT', headers: { 'If-Match': tag, 'Content-Type': 'application/json' } },
      body: JSON.stringify({ text, allow: ['drop:books.note'] }),
    });
    const { detail = '' } = (await answer.json()) as { detail?: string };
    return `${answer.status} ${detail}`;
  }
  const title = { type: 'text', max: 1000 };
  const changes: [fields: object, refused: string][] = [
    [{ title, note: { type: 'text', default: '' } }, '503 The disk is full, so nothing was changed'],
    [{ title }, '503 The backup before the loss of values failed, so nothing was changed'],
  ];
  for (const [fields, refused] of changes) {
    fill(ballast);
    const answer = await change(fields);
    say(answer);
    if (!answer.startsWith(refused)) complaints.push(`expected ${refused}, got ${answer}`);
    const page = await (await fetch(`${shelf.url}/api/v2/books?count=exact&limit=1`)).json();
    const { total, data } = page as { total: number; data: { note?: string }[] };
    if (total !== records || data[0]?.note === undefined) complaints.push(`records were lost: ${JSON.stringify(page)}`);
    if (readFileSync(file, 'utf8') !== before) complaints.push('the file was changed');
    rmSync(ballast);
  }
  const answer = await change({ title });
  if (!answer.startsWith('200')) complaints.push(`with room again: ${answer}`);
  await shelf.stop();
  return complaints;
}
