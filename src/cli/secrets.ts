/** Keeps passwords out of messages, and finds those that others can see. */

/** A value as it may be shown: without the password of a URL, and without its parameters, one of which may be another. */
export function redacted(text: string): string {
  return (
    text
      .replace(/(\/\/[^:]*:).*@/s, '$1***@')
      // A password whose host was forgotten; a port is no secret.
      .replace(/(\/\/[^:/?#@[]*:)(?!\d{1,5}(?:[/?#]|$)|\*{3}@)[^/?#]*/, '$1***')
      .replace(/\?(?!sslmode=[\w-]*$).*/s, '?***')
      .replace(/((?:password|passwd|pwd)\s*=\s*)\S+/gi, '$1***')
  );
}

/** Whether a text is a URL with a password in it. */
export function hasPassword(text: string): boolean {
  return URL.canParse(text) && new URL(text).password !== '';
}
