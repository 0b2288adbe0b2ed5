/** Serves this folder for a browser: two files, and no backend. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';

const port = Number(process.env.PORT ?? 8080);
const here = (name) => new URL(name, import.meta.url);
const script = 'text/javascript; charset=utf-8';
const files = {
  '/': [here('index.html'), 'text/html; charset=utf-8'],
  '/page.js': [here('page.js'), script],
};

const server = createServer((request, response) => {
  const [file, type] = files[new URL(request.url, 'http://localhost').pathname] ?? [];
  if (file === undefined) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': type });
  return createReadStream(file).pipe(response);
});
server.listen(port, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${server.address().port}`));
