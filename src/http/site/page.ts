/** HTML answers: one skeleton, and a Content-Security-Policy that blocks every other host. */
import type { Reply } from '../../wire/answer/reply.ts';
import { bytes } from '../route/reply.ts';
import { openRoute, type Route } from '../route/route.ts';
import { assetRoute } from './asset.ts';
import pagesStyle from './pages.css' with { type: 'file' };
import themeStyle from './theme.css' with { type: 'file' };

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
export const look = '<link rel="stylesheet" href="/theme.css">\n<link rel="stylesheet" href="/pages.css">';

/** The logo: three books on a shelf. */
export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
<rect width="32" height="32" rx="7" fill="#1d4d4f"/><path d="M6 25.5h20" stroke="#f3e9d8" stroke-width="2" stroke-linecap="round"/>
<rect x="8" y="9" width="4.5" height="15" rx="1" fill="#f3b45b"/><rect x="13.7" y="6.5" width="4.5" height="17.5" rx="1" fill="#f3e9d8"/>
<rect x="20.4" y="9.2" width="4.5" height="15" rx="1" fill="#e4785a" transform="rotate(-9 22.6 24)"/></svg>`;

/** What every page of Shelf's own loads. */
export function lookRoutes(): Route[] {
  return [
    iconRoute(),
    assetRoute('/theme.css', () => Bun.file(themeStyle).text()),
    assetRoute('/pages.css', () => Bun.file(pagesStyle).text()),
  ];
}

function iconRoute(): Route {
  const body = encoder.encode(mark);
  return openRoute('/favicon.ico', () =>
    bytes(200, body, { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'max-age=86400' }),
  );
}
