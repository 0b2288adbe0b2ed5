#!/usr/bin/env node
/** `npm create shelf FOLDER`: a folder with a first configuration file, which is installed and served at once. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

function fail(message, code = 1) {
  process.stderr.write(`create-shelf: ${message}\n`);
  process.exit(code);
}

const [given, ...others] = process.argv.slice(2);
if (given === undefined || given.startsWith('-') || others.length > 0) fail('Usage: npm create shelf FOLDER', 2);
const folder = resolve(given);
if (existsSync(folder) && readdirSync(folder).length > 0)
  fail(`${given} is not empty: choose another name, or run npx shelf-server in it.`);

const name = basename(folder)
  .toLowerCase()
  .replace(/[^a-z0-9-]+/g, '-')
  .replace(/^-+|-+$/g, '');

const files = {
  'package.json': `${JSON.stringify(
    {
      name: name || 'library',
      private: true,
      type: 'module',
      scripts: { start: 'shelf', check: 'shelf check', types: 'shelf types > shelf.d.ts' },
      dependencies: { 'shelf-server': `^${version}` },
    },
    null,
    2,
  )}\n`,
  '.gitignore': 'node_modules/\n# The database.\ndata/\n',
  'README.md': `# ${basename(folder)}

\`shelf.json\` declares collections of records, and Shelf serves them as JSON over HTTP.

| | |
|---|---|
| \`npm start\` | serves <http://127.0.0.1:8000>; the records are in \`data/shelf.db\` |
| \`npm run check\` | lists every mistake in \`shelf.json\` |
| \`npm run types\` | writes \`shelf.d.ts\`, the types of the collections for the client: \`npm install shelf-client\` |

Open <http://127.0.0.1:8000/console> to see and change records, and <http://127.0.0.1:8000/docs> for every operation.
`,
};

mkdirSync(folder, { recursive: true });
for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
copyFileSync(new URL('shelf.json', import.meta.url), join(folder, 'shelf.json'));
process.stdout.write(`${given} has shelf.json with two collections, authors and books, as an example.\n`);

const inherit = { cwd: folder, stdio: 'inherit' };
process.stdout.write('Installing shelf-server, with its runtime of about 50 MB ...\n');
if (spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], inherit).status !== 0)
  fail(`npm could not install shelf-server: its message is above. Try again: cd ${given} && npm install && npm start`);
process.stdout.write(`Starting. Ctrl-C stops; cd ${given} && npm start starts again.\n`);
const server = spawn('npm', ['start', '--silent'], inherit);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 1));
