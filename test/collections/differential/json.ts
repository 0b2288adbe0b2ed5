/** `text` has no white space between its parts; of two members with one name, `value` has the last. */
export type Node = {
  readonly text: string;
  readonly value: string | number | boolean | null | readonly Node[] | ReadonlyMap<string, Node>;
};

const token =
  /[ \t\n\r]*([{}[\],:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/uy;

/** Undefined if the text is not JSON. */
export function parsed(text: string): Node | undefined {
  const tokens: string[] = [];
  token.lastIndex = 0;
  let end = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    tokens.push(found[1] ?? '');
    end = token.lastIndex;
  }
  if (text.slice(end).trim() !== '') return undefined;
  let at = 0;
  const take = (expected: string) => tokens[at] === expected && at++ >= 0;

  function many<Part>(close: string, part: () => Part | undefined): Part[] | undefined {
    const parts: Part[] = [];
    if (take(close)) return parts;
    do {
      const one = part();
      if (one === undefined) return undefined;
      parts.push(one);
    } while (take(','));
    return take(close) ? parts : undefined;
  }

  function member(): readonly [raw: string, key: string, node: Node] | undefined {
    const raw = tokens[at++] ?? '';
    if (!raw.startsWith('"') || !take(':')) return undefined;
    const node = value();
    return node && [raw, JSON.parse(raw), node];
  }

  function value(): Node | undefined {
    if (take('[')) {
      const list = many(']', value);
      return list && { text: `[${list.map((one) => one.text).join(',')}]`, value: list };
    }
    if (take('{')) {
      const members = many('}', member);
      const whole = members?.map(([raw, , node]) => `${raw}:${node.text}`).join(',');
      return members && { text: `{${whole}}`, value: new Map(members.map(([, key, node]) => [key, node])) };
    }
    const one = tokens[at++] ?? '';
    return /^["\-\dtfn]/.test(one) ? { text: one, value: JSON.parse(one) } : undefined;
  }
  const root = value();
  return at === tokens.length ? root : undefined;
}
