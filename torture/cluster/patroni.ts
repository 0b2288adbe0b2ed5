/** Patroni in the version of the example for operators, with the packages of Python that it needs. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptInstall } from '../../scripts/tools/apt.ts';
import { root } from '../../test/support/servers/process.ts';

const requirements = join(root, 'deploy/cluster/requirements.txt');
/** Debian's: Patroni does not run as root, and may not read a Python in the folder of a user. */
const python = '/usr/bin/python3';

/** Installs it if it is missing. */
export async function installedPatroni(
  purpose: string,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  const version = Bun.hash(await Bun.file(requirements).text()).toString(36);
  const folder = join(tmpdir(), `shelf-patroni-${version}`);
  const path = join(folder, 'bin/patroni');
  if (existsSync(path)) return { path };
  if (Bun.spawnSync([python, '-c', 'import ensurepip']).exitCode !== 0) {
    const reason = aptInstall('python3-venv', purpose);
    if (reason !== undefined) return { reason };
  }
  process.stderr.write(`shelf: installing Patroni for ${purpose} (once) ...\n`);
  const pip = join(folder, 'bin/pip');
  const steps = [
    [python, '-m', 'venv', '--clear', folder],
    // The command itself is written last.
    [pip, 'install', '--quiet', '--disable-pip-version-check', '-r', requirements],
  ];
  for (const step of steps) {
    const { exitCode, stderr } = Bun.spawnSync(step, { stdout: 'ignore', stderr: 'pipe' });
    if (exitCode !== 0)
      return { reason: `Patroni cannot be installed: ${stderr.toString().trim().split('\n').at(-1)}` };
  }
  return { path };
}
