/** The console: one page for every address below `/console`, which its script reads, and its two files. */
import { lazyPromise } from '../../domain/lazy.ts';
import { openRoute, type Route } from '../route/route.ts';
import { assetRoute } from './asset.ts';
import { type ConsoleFiles, consoleFiles } from './console-files.ts';
import { page } from './page.ts';

/** Stricter than for the other pages: nothing inline, not even a style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** No collection has this name, so the files hide none. */
const folder = '/console/-';

/** Painted before the script has arrived, and replaced by it. */
const emptyFrame = `<div class="frame">
<header class="rail"><div class="rail-head"><span class="rail-name"><img src="/favicon.ico" alt="" width="26" height="26">Shelf</span></div></header>
<main aria-busy="true"><noscript>The console needs JavaScript. The API does not: see <a href="/docs">/docs</a>.</noscript></main>
</div>`;

export function consoleRoutes(load: () => Promise<ConsoleFiles> = consoleFiles): Route[] {
  const files = lazyPromise(load);
  const html = page(
    'Shelf console',
    `<link rel="stylesheet" href="/theme.css">\n<link rel="stylesheet" href="${folder}/console.css">\n<script type="module" src="${folder}/console.js"></script>`,
    `<div id="console">${emptyFrame}</div>`,
  );
  const reply = {
    ...html,
    headers: { ...html.headers, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' },
  };
  async function handle() {
    // A page whose script cannot be had would stay blank.
    await files();
    return reply;
  }
  return [
    openRoute('/console', handle),
    openRoute('/console/{path...}', handle),
    assetRoute(`${folder}/console.js`, async () => (await files()).script),
    assetRoute(`${folder}/console.css`, async () => (await files()).style),
  ];
}
