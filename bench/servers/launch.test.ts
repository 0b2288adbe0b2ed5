import { afterEach, expect, test } from 'bun:test';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { launch } from './launch.ts';

const { SHELF_CACHE } = process.env;
afterEach(() => {
  if (SHELF_CACHE === undefined) delete process.env.SHELF_CACHE;
  else process.env.SHELF_CACHE = SHELF_CACHE;
});

test.skipIf(systemTool('taskset') === undefined)(
  'a measured server has no settings of the shell, and one thread',
  async () => {
    process.env.SHELF_CACHE = '1MB';
    const program = 'Bun.serve({ port: process.env.PORT, fetch: () => Response.json(Object.keys(process.env)) })';
    const server = await launch([process.execPath, '-e', program], freePort(), import.meta.dir, { SHELF_LOG: 'off' });
    try {
      const names = (await (await fetch(server.base)).json()) as string[];
      expect(names.filter((name) => name.startsWith('SHELF_')).sort()).toEqual(['SHELF_LOG', 'SHELF_THREADS']);
      expect(names).toContain('PATH');
    } finally {
      await server.stop();
    }
  },
);
