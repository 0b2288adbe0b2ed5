/** Entity tags (RFC 9110): whether a client already has what it asks for. */

/** `If-None-Match` compares weakly: `W/"x"` and `"x"` name the same content. */
export function alreadyHas(request: Request, tag: string): boolean {
  const header = request.headers.get('If-None-Match');
  if (header === null) return false;
  return header.split(',').some((one) => {
    const text = one.trim();
    return text === '*' || text.replace(/^W\//, '') === tag.replace(/^W\//, '');
  });
}

/** The strong tag of bytes that are at hand. */
export function tagOf(bytes: Uint8Array): string {
  return `"${Bun.hash(bytes).toString(36)}"`;
}
