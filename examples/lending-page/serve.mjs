/** Serves this folder for a browser, with its settings: files alone, and no backend. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';

const { PORT = '8080', SHELF_URL = 'http://127.0.0.1:8000', OIDC_ISSUER, OIDC_CLIENT, OIDC_AUDIENCE } = process.env;
/** Without an issuer, people sign in with API keys. */
const settings = { shelf: SHELF_URL, issuer: OIDC_ISSUER, client: OIDC_CLIENT, audience: OIDC_AUDIENCE };
const here = (name) => new URL(name, import.meta.url);
const script = 'text/javascript; charset=utf-8';
const files = {
  '/': [here('index.html'), 'text/html; charset=utf-8'],
  '/page.js': [here('page.js'), script],
  '/sign-in.js': [here('sign-in.js'), script],
};

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname === '/settings.json') return response.end(JSON.stringify(settings));
  const [file, type] = files[pathname] ?? [];
  if (file === undefined) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': type });
  return createReadStream(file).pipe(response);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Open http://127.0.0.1:${server.address().port}`));
