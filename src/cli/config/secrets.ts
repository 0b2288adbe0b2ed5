/** Removes passwords from messages, and detects them in URLs. */
import { serversOf, urlsIn } from '../../storage/postgres/connect/servers.ts';

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

/** Whether the text is a URL with a password, or several of which one has. */
export function hasPassword(text: string): boolean {
  return urlsIn(text).some((url) => {
    const [first = ''] = serversOf(url);
    return URL.canParse(first) && new URL(first).password !== '';
  });
}
