/** HTML answers: one skeleton, and a Content-Security-Policy that blocks every other host. */
import type { Reply } from '../../wire/reply.ts';
import { bytes } from '../route/reply.ts';
import type { Route } from '../route/route.ts';

const encoder = new TextEncoder();

/** Inline styles are allowed because Swagger UI and Redoc write them; inline scripts are not. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function page(title: string, head: string, body: string): Reply {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="/favicon.ico">
${head}
</head>
<body>
${body}
</body>
</html>
`;
  return bytes(200, encoder.encode(html), {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
  });
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The style of Shelf's own pages, light and dark. */
export const look = `<style>
:root { color-scheme: light dark; --ink: #1c2b2d; --soft: #5b6c6e; --paper: #faf7f1; --card: #fff; --line: #e4ddd0; --accent: #1d6d70; --code: #f2ede2 }
@media (prefers-color-scheme: dark) { :root { --ink: #ece6da; --soft: #9aa9aa; --paper: #12191a; --card: #1a2324; --line: #2b3738; --accent: #7cc7c9; --code: #0d1313 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 50rem; margin: 0 auto; padding: clamp(1.75rem, 7vw, 4rem) clamp(1rem, 4vw, 1.5rem) 5rem }
header { display: flex; align-items: center; gap: 1rem; margin-bottom: .75rem }
header svg { width: 52px; height: 52px; flex: none }
h1 { font-size: clamp(1.7rem, 6vw, 2.4rem); letter-spacing: -.03em; margin: 0; line-height: 1.1; text-wrap: balance }
h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .09em; color: var(--soft); margin: 2.75rem 0 .8rem; font-weight: 600 }
p { margin: 0; max-width: 44rem }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
.version { color: var(--soft); font-size: .85rem; align-self: flex-end; padding-bottom: .1rem }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .9rem }
.card { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.05rem 1.2rem; color: inherit }
a.card:hover, .card:has(a:hover) { border-color: var(--accent); text-decoration: none }
.card b { display: block; font-size: 1.05rem; color: var(--accent) }
.card span { color: var(--soft); font-size: .92rem }
.card span a { display: block; overflow-wrap: anywhere; font: 13.5px/1.7 ui-monospace, monospace }
.card .count { float: right; font-size: 1.6rem; line-height: 1.5; font-variant-numeric: tabular-nums; color: var(--ink) }
pre { margin: 0; background: var(--code); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.2rem; overflow-x: auto; font: 14px/1.6 ui-monospace, monospace; user-select: all }
pre + pre { margin-top: .7rem }
code { font: .92em ui-monospace, monospace; background: var(--code); border-radius: 5px; padding: .1em .35em }
.hint a { text-decoration: underline }
.hint { color: var(--soft); font-size: .85rem; margin-top: .5rem }
</style>`;

/** The logo: three books on a shelf. */
export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
<rect width="32" height="32" rx="7" fill="#1d4d4f"/><path d="M6 25.5h20" stroke="#f3e9d8" stroke-width="2" stroke-linecap="round"/>
<rect x="8" y="9" width="4.5" height="15" rx="1" fill="#f3b45b"/><rect x="13.7" y="6.5" width="4.5" height="17.5" rx="1" fill="#f3e9d8"/>
<rect x="20.4" y="9.2" width="4.5" height="15" rx="1" fill="#e4785a" transform="rotate(-9 22.6 24)"/></svg>`;

export function iconRoute(): Route {
  const body = encoder.encode(mark);
  return {
    method: 'GET',
    path: '/favicon.ico',
    access: 'open',
    handle: () => bytes(200, body, { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'max-age=86400' }),
  };
}
