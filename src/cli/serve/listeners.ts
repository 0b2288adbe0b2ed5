/** Where clients connect: the port, the port that redirects to it, and the Unix socket. */
import { StartError } from '../../domain/errors.ts';
import type { Log } from '../../http/observe/log-entry.ts';
import type { Gauge } from '../../http/observe/metrics.ts';
import type { Handlers } from '../../wire/handlers.ts';
import { type Endpoint, type Listening, type ListenLimits, listen } from '../../wire/listen.ts';
import { CannotListen, ListeningSocket } from '../../wire/port/listening-socket.ts';
import type { TlsFiles } from '../../wire/port/tls.ts';
import type { Config } from '../settings/settings.ts';
import { Renewal } from './certificate-renewal.ts';
import type { Identity } from './certificates.ts';
import { openUnixSocket } from './unix-socket.ts';

export type OpenEndpoints = Pick<Listening, 'drain' | 'share' | 'stop'> & {
  /** Of the port. */
  readonly url: string;
  readonly port: number;
  readonly gauges: readonly Gauge[];
};

export type EndpointOptions = Pick<Config, 'server' | 'tls'> & {
  readonly logTo: Log;
  /** Several workers listen on the same port. */
  readonly sharePort: boolean;
  /** Called with a renewed certificate; resolves when all other threads use it. */
  readonly onRenewal?: ((files: TlsFiles) => Promise<void>) | undefined;
  /** The descriptor of the Unix socket that workers share; without it, this server opens that of --listen. */
  readonly sharedSocket?: number | undefined;
};

/** Where requests enter: those of the API, and those to be redirected to TLS. */
export type Entrances = { readonly entrance: Handlers; readonly redirect: Handlers };

/** Throws a StartError. `identity` is undefined for plain HTTP. */
export async function openEndpoints(
  {
    server: { host, port, listen: path },
    tls: { redirect },
    sharePort,
    sharedSocket,
    onRenewal,
    logTo,
  }: EndpointOptions,
  identity: Identity | undefined,
  { entrance, redirect: toTls }: Entrances,
  limits: ListenLimits,
): Promise<OpenEndpoints> {
  const at = (one: number) => ({ hostname: host, port: one, sharePort });
  const made = path.value === undefined || sharedSocket !== undefined ? undefined : await openUnixSocket(path.value);
  const descriptor = sharedSocket ?? made?.descriptor;
  const endpoints: Endpoint[] = [{ address: at(port), tls: identity?.certificate.files, handlers: entrance }];
  if (redirect.value !== undefined) endpoints.push({ address: at(redirect.value), handlers: toTls });
  if (descriptor !== undefined) endpoints.push({ address: { descriptor }, handlers: entrance });
  let listening: Listening;
  try {
    listening = listenOn(endpoints, limits);
  } catch (error) {
    made?.remove();
    throw error;
  }
  const renewal =
    identity === undefined
      ? undefined
      : new Renewal(
          identity.certificate,
          identity.paths,
          async (files) => {
            listening.renew(files);
            await onRenewal?.(files);
          },
          logTo,
        );
  return {
    port: listening.port,
    url: `${identity === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${listening.port}`,
    gauges: renewal === undefined ? [] : [renewal.gauge],
    drain: listening.drain,
    share: listening.share,
    stop(withinMs, atOnce) {
      renewal?.stop();
      // First, so that no client connects to a socket that is about to close.
      made?.remove();
      return listening.stop(withinMs, atOnce);
    },
  };
}

export function listenOn(endpoints: readonly Endpoint[], limits: ListenLimits): Listening {
  try {
    return listen(endpoints, limits);
  } catch (error) {
    const isFirst = error instanceof CannotListen && error.address === endpoints[0]?.address;
    throw explained(error, isFirst ? '--port' : '--http-redirect');
  }
}

/** Throws a StartError if one of them is in use, also by processes that would share it. */
export function requireFreePorts(hostname: string, ports: readonly number[]): void {
  const sockets: ListeningSocket<unknown>[] = [];
  try {
    for (const port of ports)
      sockets.push(new ListeningSocket({ hostname, port, sharePort: false }, undefined, { data() {} }));
  } catch (error) {
    throw explained(error, sockets.length === 0 ? '--port' : '--http-redirect');
  } finally {
    for (const socket of sockets) socket.stop();
  }
}

function explained(error: unknown, flag: string): unknown {
  if (!(error instanceof CannotListen) || !('port' in error.address)) return error;
  const { address, code, message } = error;
  const where = `port ${address.port} on ${address.hostname}`;
  if (code === 'EADDRINUSE')
    return new StartError(
      `Cannot listen on ${where}: the port is in use. Stop the process that uses it, or choose another ${flag}.`,
    );
  if (code === 'EACCES')
    return new StartError(`Cannot listen on ${where}: not permitted. Choose a ${flag} above 1023.`);
  return new StartError(`Cannot listen on ${where} (${message}): check --host and ${flag}.`);
}
