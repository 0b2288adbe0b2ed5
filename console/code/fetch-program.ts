/** A program with `fetch`, for routes that the typed client does not have. */
import type { Written } from './curl.ts';
import { objectLiteral, quote, trustNote } from './typescript.ts';

export function fetchProgram({ method = 'GET', path, headers = {}, body }: Written, withKey: boolean): string {
  const sent = [
    ...(withKey ? [['Authorization', "'Bearer ' + process.env.SHELF_KEY"] as const] : []),
    ...Object.entries(headers).map(([name, value]) => [name, quote(value)] as const),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},`]),
    ...(sent.length === 0 ? [] : [`  headers: ${objectLiteral(sent)},`]),
    ...(body === undefined ? [] : [`  body: ${quote(body)},`]),
  ];
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `${trustNote()}const response = await fetch(${quote(location.origin + path)}${second});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());
`;
}
