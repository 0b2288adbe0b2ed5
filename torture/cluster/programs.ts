/** The programs of the cluster, from Debian's packages and, for Patroni, from Python's. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall } from '../../scripts/tools/apt.ts';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import type { Programs } from './member.ts';
import { installedPatroni } from './patroni.ts';

const purpose = 'the torture of a cluster';
const postgresVersions = '/usr/lib/postgresql';

/** Installs what is missing, if that is possible. */
export async function clusterPrograms(): Promise<Programs | { readonly reason: string }> {
  if (process.platform !== 'linux') return { reason: 'network namespaces exist only on Linux' };
  if (process.getuid?.() !== 0) return { reason: 'only root may create network namespaces' };
  const missing = ['ip', 'nsenter', 'setpriv', 'unshare'].filter((tool) => systemTool(tool) === undefined);
  if (missing.length > 0) return { reason: `there is no ${missing.join(', ')}` };
  const find = {
    'etcd-server': () => systemTool('etcd'),
    postgresql: newestPostgres,
  };
  for (const [name, found] of Object.entries(find)) {
    const reason = found() === undefined ? aptInstall(name, purpose) : undefined;
    if (reason !== undefined) return { reason };
  }
  const [etcd, postgres] = [find['etcd-server'](), find.postgresql()];
  if (etcd === undefined || postgres === undefined) return { reason: 'an installed program cannot be found' };
  const patroni = await installedPatroni(purpose);
  return 'reason' in patroni ? patroni : { patroni: patroni.path, etcd, postgres };
}

/** The folder of its programs. The tests' own PostgreSQL has no pg_basebackup and no pg_rewind, which Patroni needs. */
function newestPostgres(): string | undefined {
  if (!existsSync(postgresVersions)) return undefined;
  const newest = readdirSync(postgresVersions)
    .map(Number)
    .toSorted((left, right) => right - left)[0];
  return newest === undefined ? undefined : join(postgresVersions, String(newest), 'bin');
}
