import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { readCommand } from '../config/config.ts';
import { health } from './health.ts';

function healthOf(...args: readonly string[]): Promise<string> {
  const command = readCommand(['health', ...args], {});
  if (command.kind !== 'health') throw new Error('another command');
  return health(command.config);
}

test('the server at the port, or at the socket, is asked for /healthz', async () => {
  let status = 200;
  const asked: string[] = [];
  const answer = (request: Request) => {
    asked.push(new URL(request.url).pathname);
    return new Response('', { status });
  };
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  const unix = join(temporaryFolder(), 'shelf.sock');
  const onSocket = Bun.serve({ unix, fetch: answer });
  const port = String(server.port);
  expect(await healthOf('--host', '0.0.0.0', '--port', port)).toBe(
    `The server at http://127.0.0.1:${port}/healthz is alive.\n`,
  );
  expect(await healthOf('--listen', `unix:${unix}`)).toBe(`The server at unix:${unix} is alive.\n`);
  expect(asked).toEqual(['/healthz', '/healthz']);

  status = 503;
  await expect(healthOf('--port', port)).rejects.toThrow(/is not alive \(the answer was 503\): check that it runs/);
  await server.stop(true);
  await onSocket.stop(true);
  await expect(healthOf('--port', port)).rejects.toThrow(/is not alive/);
});
