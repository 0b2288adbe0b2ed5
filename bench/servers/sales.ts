/** A collection for queries: records in groups, with values that few of them have. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { command } from '../../test/support/servers/process.ts';
import { launch, root, run, type Server } from './launch.ts';
import { shelfCommand } from './shelf.ts';

export const states = ['ordered', 'paid', 'sent', 'returned'];

const declaration = {
  items: false,
  users: false,
  collections: {
    sales: {
      singular: 'sale',
      fields: {
        title: 'text',
        state: { type: 'choice', of: states },
        amount: { type: 'decimal', scale: 2 },
        shop: 'integer',
        buyer: 'integer',
        // The same values without an index.
        shop_again: 'integer',
        buyer_again: 'integer',
      },
      indexes: ['shop', 'buyer'],
    },
  },
};

/** So many records have the same shop, and the same buyer. */
export const perValue = 20;

/** The sale `n`, from 0. */
function sale(n: number, count: number): string {
  const [shop, buyer] = [n % Math.ceil(count / perValue), (n * 7919) % Math.ceil(count / perValue)];
  return JSON.stringify({
    title: `Sale number ${n}`,
    state: states[((n * 31) % 7) % states.length],
    amount: `${(n * 7919) % 1000}.${10 + (n % 90)}`,
    shop,
    buyer,
    shop_again: shop,
    buyer_again: buyer,
  });
}

const atOnce = 10_000;

export type SalesFile = { readonly path: string; readonly config: string; readonly count: number };

/** A file with so many sales. */
export function salesFile(within: string, count: number): SalesFile {
  const folder = join(within, 'sales');
  mkdirSync(folder);
  const [config, lines, path] = [join(folder, 'shelf.json'), join(folder, 'sales.ndjson'), join(folder, 'shelf.db')];
  writeFileSync(config, JSON.stringify(declaration));
  const file = openSync(lines, 'w');
  for (let from = 0; from < count; from += atOnce) {
    const part = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => sale(from + at, count));
    writeSync(file, `${part.join('\n')}\n`);
  }
  closeSync(file);
  const options = ['--config', config, '--database', `sqlite:${path}`];
  const failed =
    run([...command, 'migrate', ...options], root) ??
    run([...command, 'import', lines, '--collection', 'sales', ...options], root);
  if (failed !== undefined) throw new Error(`cannot store the sales: ${failed}`);
  return { path, config, count };
}

export function startOnSales({ path, config }: SalesFile): Promise<Server> {
  return launch([...shelfCommand(`sqlite:${path}`), '--config', config], freePort(), root);
}
