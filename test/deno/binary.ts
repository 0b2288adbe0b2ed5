/** Deno from npm: installed next to the tests, once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npmCi } from '../../scripts/tools/npm-ci.ts';

const here = import.meta.dir;
const system = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`;
const path = join(here, 'node_modules/@deno', system, 'deno');

/** Prints its progress. */
export function denoBinary(): { readonly path: string } | { readonly reason: string } {
  if (existsSync(path)) return { path };
  process.stderr.write('shelf: installing Deno for the tests (once) ...\n');
  const reason = npmCi(here);
  if (reason !== undefined) return { reason };
  return existsSync(path) ? { path } : { reason: `there is no Deno for ${process.platform} ${process.arch}` };
}
