import { expect, test } from 'bun:test';
import { sharePort } from './share-port.ts';

test.if(process.platform === 'linux')('a port is shared only after its first listener allows it', () => {
  const open = (port: number, reusePort: boolean) =>
    // The type has no `reusePort`.
    Bun.listen({
      hostname: '127.0.0.1',
      port,
      reusePort,
      socket: { data() {} },
    } as Bun.TCPSocketListenOptions<undefined>);
  const first = open(0, false);
  expect(() => open(first.port, true)).toThrow('Failed to listen');
  expect(sharePort((first as unknown as { fd: number }).fd)).toBe(true);
  const second = open(first.port, true);
  expect(() => open(first.port, false)).toThrow('Failed to listen');
  first.stop();
  second.stop();
  expect(sharePort(-1)).toBe(false);
});
