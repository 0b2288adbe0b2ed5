/** `shelf health`: asks the server that runs with these settings whether it is alive, for containers without other programs. */
import { StartError } from '../../domain/errors.ts';
import type { Config } from '../settings/settings.ts';

/** Shorter than the time that a container engine gives the command. */
const timeoutMs = 4000;

/** Where a server that listens on all interfaces is reached. */
const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the text to print. Throws a StartError if the server is not alive. */
export async function health({ server, tls }: Pick<Config, 'server' | 'tls'>): Promise<string> {
  const socket = server.listen.value;
  const secure = socket === undefined && tls.cert.value !== undefined;
  const host = loopback[server.host] ?? server.host;
  const url = `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${server.port}/healthz`;
  const at = socket === undefined ? url : `unix:${socket}`;
  try {
    const { status } = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      ...(socket === undefined ? {} : { unix: socket }),
      // The certificate has the name that clients use, and the request does not leave this machine.
      ...(secure ? { tls: { rejectUnauthorized: false } } : {}),
    });
    if (status === 200) return `The server at ${at} is alive.\n`;
    throw new Error(`the answer was ${status}`);
  } catch (error) {
    const hint =
      secure && tls.clientCa.value !== undefined
        ? 'it asks for a client certificate, so add --listen unix:PATH'
        : 'check that it runs with the same settings';
    throw new StartError(`The server at ${at} is not alive (${(error as Error).message}): ${hint}.`);
  }
}
