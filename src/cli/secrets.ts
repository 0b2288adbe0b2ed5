/** Removes passwords from messages, and detects them in URLs. */
import { serversOf } from '../storage/servers.ts';

/** A value for a message: without the password of a URL, and without its parameters, which may contain another. */
export function redacted(text: string): string {
  return (
    text
      .replace(/(\/\/[^:]*:).*@/s, '$1***@')
      // A password without a host after it; a port is not secret.
      .replace(/(\/\/[^:/?#@[]*:)(?!\d{1,5}(?:[/?#]|$)|\*{3}@)[^/?#]*/, '$1***')
      .replace(/\?(?!sslmode=[\w-]*$).*/s, '?***')
      .replace(/((?:password|passwd|pwd)\s*=\s*)\S+/gi, '$1***')
  );
}

/** Whether the text is a URL with a password. */
export function hasPassword(text: string): boolean {
  const [first = ''] = serversOf(text);
  return URL.canParse(first) && new URL(first).password !== '';
}
