/** A page for each failure code, at the path that is the `type` of a problem. */
import { Failure, type FailureCode, failures } from '../../domain/errors.ts';
import { problemPath } from '../route/problem.ts';
import { openRoute, type Route } from '../route/route.ts';
import { escapeHtml, look, mark, page } from './page.ts';

/** `hasPages`: of the documentation. */
export function problemRoute(hasPages: boolean): Route {
  const codes = new Map((Object.keys(failures) as FailureCode[]).map((code) => [problemPath(code), code]));
  return openRoute('/problems/{name}', ({ argument }) => {
    const code = codes.get(`/problems/${argument}`);
    if (code === undefined) throw new Failure('unknown_path');
    const { status, title, hint } = failures[code];
    return page(
      title,
      look,
      `<main>
<header>${mark}<h1>${escapeHtml(title)}</h1></header>
<p>Answered with status ${status}, as <code>${escapeHtml(code)}</code>.</p>
<h2>What to do</h2>
<p>${escapeHtml(hint.charAt(0).toUpperCase() + hint.slice(1))}.</p>
${hasPages ? more : ''}</main>`,
    );
  });
}

const more = `<h2>More</h2>
<div class="cards">
<a class="card" href="/docs"><b>Try it</b><span>Swagger UI: send requests from the page</span></a>
<a class="card" href="/"><b>Start</b><span>What this server has</span></a>
</div>
`;
