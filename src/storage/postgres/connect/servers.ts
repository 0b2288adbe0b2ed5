/** The servers that a URL names: `postgres://user@db1,db2:5433/name` names two, as in libpq. */
import { StartError } from '../../../domain/errors.ts';

const sessionParameter = 'target_session_attrs';
/** The values of libpq that mean what Shelf does anyway: use the server that accepts writes. */
const writableSessions = ['read-write', 'primary'];

/** One URL for each server, in the order in which they are named. */
export function serversOf(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? [];
  if (before === '') return [url];
  const rest = after.replace(new RegExp(`([?&])${sessionParameter}=[^&#]*&?`, 'g'), '$1').replace(/[?&](?=#|$)/, '');
  return hosts.split(',').map((host) => `${before}${host}${rest}`);
}

/** Several URLs with commas between them, which also separate the servers of one URL. */
export function urlsIn(text: string): readonly string[] {
  return text.split(/,(?=postgres(?:ql)?:)/);
}

/** Throws a StartError if the URL asks for a server that accepts no writes. */
export function requireWritableSession(url: string): void {
  for (const [, value = ''] of url.matchAll(new RegExp(`[?&]${sessionParameter}=([^&#]*)`, 'g'))) {
    if (writableSessions.includes(value)) continue;
    throw new StartError(
      `Invalid ${sessionParameter} ${JSON.stringify(value)} in the database URL: Shelf uses the server that accepts writes; omit it, or set it to ${writableSessions.join(' or ')}.`,
    );
  }
}

/** Host and port, for messages. */
export function addressOf(server: string): string {
  return new URL(server).host;
}
