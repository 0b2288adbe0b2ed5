/**
 * The upstream side of a reverse proxy, as in nginx: round robin, connections kept and reused, `Connection: close`
 * honoured. Only a refused connection is retried, on the next instance, because nothing was sent.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

type Instance = { readonly port: number; readonly idle: Socket[]; ready: boolean };

export class Balancer {
  readonly #instances: readonly Instance[];
  #turn = 0;

  constructor(ports: readonly number[]) {
    this.#instances = ports.map((port) => ({ port, idle: [], ready: true }));
  }

  /** Takes an instance out of rotation while its `/readyz` fails, as a proxy with health checks does. */
  async check(): Promise<void> {
    await Promise.all(
      this.#instances.map(async (instance) => {
        const url = `http://127.0.0.1:${instance.port}/readyz`;
        instance.ready = await fetch(url, { keepalive: false }).then(
          ({ ok }) => ok,
          () => false,
        );
      }),
    );
  }

  /** Returns the status; rejects if a connection ended without an answer or no instance could be reached. */
  async send(method: string, path: string, body = ''): Promise<number> {
    const request = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const turn = this.#turn++;
    const inTurn = this.#instances.map((_, n, all) => all[(turn + n) % all.length]).filter((one) => one !== undefined);
    for (const instance of inTurn.filter(({ ready }) => ready)) {
      const socket = instance.idle.pop() ?? (await opened(instance.port));
      if (socket === undefined) continue;
      socket.removeAllListeners();
      const answer = await answered(socket, request);
      if (/^connection: close/im.test(answer)) socket.destroy();
      else this.#keep(instance, socket);
      return Number(answer.split(' ')[1]);
    }
    throw new Error('no instance could be reached');
  }

  close(): void {
    for (const { idle } of this.#instances) for (const socket of idle.splice(0)) socket.destroy();
  }

  #keep({ idle }: Instance, socket: Socket): void {
    idle.push(socket);
    const forget = () => {
      const place = idle.indexOf(socket);
      if (place >= 0) idle.splice(place, 1);
      socket.destroy();
    };
    socket.on('end', forget).on('error', forget);
  }
}

/** Undefined if the connection was refused. */
async function opened(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if ((error as { code?: string }).code === 'ECONNREFUSED') return undefined;
    throw error;
  }
}

/** Reads the head, and as much of the body as its Content-Length says. */
function answered(socket: Socket, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    const length = /^content-length: (\d+)/im.exec(text)?.[1];
    if (end >= 0 && text.length === end + 4 + Number(length)) {
      socket.removeAllListeners();
      resolve(text);
    }
  });
  socket.on('end', () => reject(new Error(`the connection ended after ${text.length} bytes of an answer`)));
  socket.on('error', reject);
  socket.write(request);
  return promise;
}
