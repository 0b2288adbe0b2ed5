/** The console: one page for every address below `/console`, which its script reads, and its files. */
import { Failure } from '../../domain/errors.ts';
import { lazyPromise } from '../../domain/lazy.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import { type SignIns, signInsForPage, sourcesOf } from '../access/sign-ins.ts';
import { openRoute, type Route } from '../route/route.ts';
import { assetRoute, scriptDocument } from './asset.ts';
import { type ConsoleFiles, consoleFiles } from './console-files.ts';
import { escapeHtml, page } from './page.ts';

/** Stricter than for the other pages: nothing inline, not even a style. */
const policy = (sources: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...sources].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** No collection has this name, so the files hide none. */
const folder = '/console/-';

/** Scripts that the first one imports are asked for at the same time. */
function headOf({ script, parts }: ConsoleFiles): string {
  const imported = Object.keys(parts).filter((name) => script.includes(`from"./parts/${name}"`));
  return `<link rel="stylesheet" href="/theme.css">
<link rel="stylesheet" href="${folder}/console.css">
<script type="module" src="${folder}/console.js"></script>
${imported.map((name) => `<link rel="modulepreload" href="${folder}/parts/${name}">`).join('\n')}`;
}

/** Painted before the script has arrived, and replaced by it. */
const emptyFrame = `<div class="frame">
<header class="rail"><div class="rail-head"><span class="rail-name"><img src="/favicon.ico" alt="" width="26" height="26">Shelf</span></div></header>
<main aria-busy="true"><noscript>The console needs JavaScript. The API does not: see <a href="/docs">/docs</a>.</noscript></main>
</div>`;

/** The policy of the page and what the page knows are from the same moment. */
function replyOf(files: ConsoleFiles, signIns: SignIns | undefined): Reply {
  const data = signIns === undefined ? '' : ` data-sign-ins="${escapeHtml(signInsForPage(signIns))}"`;
  const html = page('Shelf console', headOf(files), `<div id="console"${data}>${emptyFrame}</div>`);
  const sources = signIns === undefined ? [] : sourcesOf(signIns);
  return {
    ...html,
    headers: { ...html.headers, 'Content-Security-Policy': policy(sources), 'Cache-Control': 'no-cache' },
  };
}

export function consoleRoutes(signIns?: SignIns, load: () => Promise<ConsoleFiles> = consoleFiles): Route[] {
  const files = lazyPromise(load);
  async function handle() {
    // A page whose script cannot be had would stay blank.
    return replyOf(await files(), signIns);
  }
  return [
    openRoute('/console', handle),
    openRoute('/console/{path...}', handle),
    assetRoute(`${folder}/console.js`, async () => (await files()).script),
    assetRoute(`${folder}/oauth.js`, async () => (await files()).oauth),
    assetRoute(`${folder}/console.css`, async () => (await files()).style),
    partsRoute(files),
  ];
}

/** Their names have a digest, so a page of an older version finds none of its own. */
function partsRoute(files: () => Promise<ConsoleFiles>): Route {
  const scripts = lazyPromise(async () => {
    const { parts } = await files();
    return new Map(Object.entries(parts).map(([name, text]) => [name, scriptDocument(() => text)]));
  });
  return openRoute(`${folder}/parts/{file}`, async ({ request, argument }) => {
    const script = (await scripts()).get(argument);
    if (script === undefined) throw new Failure('unknown_path');
    return script(request);
  });
}
