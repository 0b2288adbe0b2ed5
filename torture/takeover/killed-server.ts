/** A server that dies when a change has replaced its file, and has not committed yet: no kill from outside hits so short a moment. */
import { join } from 'node:path';
import { buildFaultyServer } from '../history/servers/faulty-server.ts';

const renamed = 'renameSync(written, this.path);';

/** Returns how to start the server. */
export function buildKilledServer(folder: string): Promise<readonly string[]> {
  return buildFaultyServer(join(folder, 'killed-server'), 'src/cli/takeover', {
    'settings-file.ts': [[renamed, `${renamed} process.kill(process.pid, 'SIGKILL');`]],
  });
}
