/** npm run bench -- --against REVISION: this Shelf beside one of another time, at the contract's work, to see what changes cost. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Peer, shelfPeer } from './peers.ts';
import { type Work, works } from './work.ts';

const root = join(import.meta.dir, '..');
/** What one may cost the other. */
const floor = 0.97;

export function openAgainst(
  revision: string,
  folder: string,
): { readonly peers: readonly Peer[]; readonly works: readonly Work[] } {
  const name = `shelf ${revision}`;
  const checkout = join(folder, 'other');
  const setUp = () => {
    const git = Bun.spawnSync(['git', 'clone', '--quiet', '--no-checkout', root, checkout], { stderr: 'pipe' });
    const { exitCode, stderr } =
      git.exitCode === 0
        ? Bun.spawnSync(['git', '-C', checkout, 'checkout', '--quiet', revision], { stderr: 'pipe' })
        : git;
    if (exitCode !== 0) return stderr.toString().trim();
    if (!existsSync(join(checkout, 'node_modules')))
      symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    return undefined;
  };
  const other: Peer = { ...shelfPeer(name, join(checkout, 'src/cli/main.ts')), setUp };
  return {
    peers: [shelfPeer('shelf', join(root, 'src/cli/main.ts')), other],
    works: works.map((work) => ({ ...work, floors: { [name]: floor } })),
  };
}
