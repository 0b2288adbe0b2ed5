/** npm run bench -- --client: what the typed client costs, beside fetch with the same requests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolPath } from '../../scripts/tools/system-tool.ts';
import { createClient } from '../../src/client/index.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import type { Claim } from '../measure/claim.ts';
import { authorCount, books, shelfFile } from '../servers/books.ts';
import { launch, missing, root } from '../servers/launch.ts';
import { shelfCommand } from '../servers/shelf.ts';

/** The client may take this many times as long as fetch. */
const most = 1.15;
const loadCore = '1';

/** Medians, in microseconds. */
type Measured = { readonly name: string; readonly plain: number; readonly client: number };

export async function clientBench(folder: string, isQuick: boolean, say: (text: string) => void): Promise<Claim[]> {
  const config = join(folder, 'books.json');
  writeFileSync(config, JSON.stringify(shelfFile));
  const bundle = join(folder, 'load');
  mkdirSync(bundle);
  const { success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'client-load.ts')],
    outdir: bundle,
    target: 'node',
    naming: 'load.mjs',
  });
  if (!success) throw new Error(logs.join('\n'));

  const port = freePort();
  const command = [...shelfCommand(`sqlite:${join(folder, 'client.db')}`), '--config', config, '--port', String(port)];
  const server = await launch(command, port, root);
  try {
    const shelf = createClient({ url: server.base });
    await shelf.authors?.createMany(Array.from({ length: authorCount }, (_, n) => ({ name: `Author ${n + 1}` })));
    await shelf.books?.createMany(isQuick ? books.slice(0, 1000) : books);
    const runtimes = [
      ['Bun', process.execPath] as const,
      ...(missing('node') === undefined ? [['Node', 'node'] as const] : []),
    ];
    const claims: Claim[] = [];
    for (const [name, runtime] of runtimes) {
      say(`the client on ${name}`);
      const size = isQuick ? ['50', '20'] : ['2000', '1000'];
      const load = [toolPath('taskset'), '-c', loadCore, runtime, join(bundle, 'load.mjs'), server.base, ...size];
      const { stdout, stderr, exitCode } = Bun.spawnSync(load);
      if (exitCode !== 0) throw new Error(stderr.toString());
      claims.push(...(JSON.parse(stdout.toString()) as Measured[]).map((measured) => claimOf(name, measured)));
    }
    return claims;
  } finally {
    await server.stop();
  }
}

function claimOf(runtime: string, { name, plain, client }: Measured): Claim {
  const ratio = client / plain;
  return {
    title: `${name}, on ${runtime}`,
    value: `${ratio.toFixed(2)}x the time of fetch (${client.toFixed(0)} and ${plain.toFixed(0)} µs)`,
    must: `<= ${most}x`,
    holds: ratio <= most,
  };
}
