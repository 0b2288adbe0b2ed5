/** Below the ports that the system gives to a server with port 0 and to clients: one of those could take it before it is used. */
const range = { first: 10_000, count: 20_000 };

/** A port that no process listens on. */
export function freePort(): number {
  for (;;) {
    const port = range.first + Math.floor(Math.random() * range.count);
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // It is in use.
    }
  }
}
