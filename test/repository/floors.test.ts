/** A file imports only from the folders that its own folder may import from, and there are no import cycles. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from '../support/servers/process.ts';

/** Without `csv` and `transaction`, which few need. */
const domain = [
  'domain',
  'domain/record',
  'domain/input',
  'domain/where',
  'domain/words',
  'domain/summary',
  'domain/store',
  'domain/feed',
  'domain/types',
  'domain/access',
];
const wire = ['wire/port', 'wire/request', 'wire/answer', 'wire'];
/** The folders that an HTTP feature may import from: never another feature. */
const feature = [
  ...domain,
  'domain/csv',
  'domain/transaction',
  ...wire,
  'threads',
  'threads/limits',
  'http/route',
  'http/limits',
  'http/access',
  'http/body',
  'http/observe',
];
/** The rooms of PostgreSQL: each sees those before it. */
const postgres = [
  'connect',
  'statements',
  'batch',
  'primary',
  'standby',
  'functions',
  'schema',
  'keys',
  'bulk',
  'write',
  'read',
].map((room) => `storage/postgres/${room}`);
const postgresSees = [...domain, 'declarations', 'declarations/rules', 'storage', 'storage/bulk', 'storage/rows'];
/** The rooms of the command: each sees those before it. */
const cli = [
  'text',
  'process',
  'log',
  'settings',
  'config',
  'remote',
  'issuers',
  'takeover',
  'serve',
  'data',
  'commands',
  'import-file/target',
  'import-file',
].map((room) => `cli/${room}`);
const cliSees = [
  ...domain,
  'domain/csv',
  'declarations',
  'declarations/access',
  'collections',
  ...wire,
  'threads',
  'storage',
  'storage/transfer',
  'storage/postgres/connect',
  'storage/sqlite/file',
  'http',
  'http/limits',
  'http/access',
  'http/observe',
  'http/admin',
];
const sqlite = [
  ...domain,
  'declarations',
  'declarations/rules',
  'storage',
  'storage/bulk',
  'storage/rows',
  'storage/sqlite',
  'storage/sqlite/statements',
];
const transfer = ['storage/transfer', ...['folder', 'sqlite', 'postgres'].map((room) => `storage/transfer/${room}`)];

/** The folders that each folder may import from, besides itself and `exact`, which imports nothing. */
const sees: Readonly<Record<string, readonly string[]>> = {
  exact: [],
  domain: [],
  'domain/pattern': [],
  'domain/types': [...domain, 'domain/pattern'],
  'domain/record': domain,
  'domain/input': domain,
  'domain/where': domain,
  'domain/words': [],
  'domain/summary': domain,
  'domain/store': domain,
  'domain/feed': domain,
  'domain/csv': domain,
  'domain/access': domain,
  'domain/transaction': domain,
  // It runs in a browser, too.
  import: [],
  'import/proposal': ['import'],
  collections: domain,
  declarations: [...domain, 'declarations/rules', 'declarations/access'],
  'declarations/access': [...domain, 'declarations'],
  'declarations/rules': [...domain, 'declarations'],
  threads: [...domain, 'threads/limits'],
  'threads/limits': [],
  storage: [
    ...[...domain, 'declarations', 'declarations/rules', 'threads'],
    ...['storage/bulk', 'storage/rows', 'storage/views', 'storage/postgres'],
    ...[...postgres, 'storage/sqlite', 'storage/sqlite/schema'],
  ],
  'storage/rows': domain,
  'storage/views': [...domain, 'storage'],
  'storage/bulk': [...domain, 'threads', 'threads/limits', 'storage/rows'],
  'storage/transfer': [...domain, 'declarations', 'storage', 'storage/rows', 'storage/postgres/connect', ...transfer],
  'storage/transfer/folder': [...domain, 'declarations', 'storage', 'storage/bulk', 'storage/rows', 'storage/transfer'],
  'storage/transfer/sqlite': [
    ...[...sqlite, 'storage/transfer', 'storage/transfer/folder'],
    ...['file', 'reads', 'schema', 'writer'].map((room) => `storage/sqlite/${room}`),
  ],
  'storage/transfer/postgres': [...postgresSees, ...postgres, 'storage/transfer'],
  'storage/verify': [...sqlite, 'storage/sqlite/schema', 'storage/sqlite/file', ...postgres, ...transfer],
  'storage/postgres': [...postgresSees, ...postgres],
  ...Object.fromEntries(postgres.map((room, at) => [room, [...postgresSees, ...postgres.slice(0, at)]])),
  'storage/postgres/read': [...postgresSees, ...postgres, 'threads'],
  'storage/sqlite': [
    ...sqlite,
    'threads',
    ...[
      'cache',
      'file',
      'memory',
      'reads',
      'schema',
      'search',
      'statements',
      'writer',
      'writer/thread',
      'writer/transaction',
    ].map((room) => `storage/sqlite/${room}`),
  ],
  'storage/sqlite/cache': [...domain, 'storage/sqlite/memory'],
  'storage/sqlite/memory': [...domain, 'storage/sqlite/memory/pages'],
  'storage/sqlite/memory/pages': [...domain, 'storage/sqlite/memory'],
  'storage/sqlite/statements': [...sqlite, 'storage/sqlite/file', 'storage/sqlite/schema'],
  'storage/sqlite/file': [...domain, 'storage/sqlite', 'storage/sqlite/statements'],
  'storage/sqlite/schema': [...sqlite, 'threads', 'storage/sqlite/file'],
  'storage/sqlite/reads': [...sqlite, ...['file', 'memory', 'search'].map((room) => `storage/sqlite/${room}`)],
  'storage/sqlite/search': [...sqlite, 'threads', 'threads/limits', 'storage/sqlite/file'],
  'storage/sqlite/writer': [
    ...sqlite,
    'threads',
    ...['file', 'memory', 'reads', 'writer/memory', 'writer/thread', 'writer/transaction'].map(
      (room) => `storage/sqlite/${room}`,
    ),
  ],
  'storage/sqlite/writer/thread': [
    ...[...sqlite, 'threads'],
    ...['file', 'memory', 'writer', 'writer/transaction'].map((room) => `storage/sqlite/${room}`),
  ],
  'storage/sqlite/writer/transaction': [
    ...sqlite,
    ...['search', 'writer', 'writer/thread'].map((room) => `storage/sqlite/${room}`),
  ],
  'storage/sqlite/writer/memory': [
    ...sqlite,
    ...['memory', 'reads', 'writer', 'writer/thread'].map((room) => `storage/sqlite/${room}`),
  ],
  'wire/port': [],
  'wire/request': domain,
  'wire/answer': [...domain, 'wire/port'],
  wire: [...domain, 'threads', 'threads/limits', ...wire],
  // A package of its own for browsers.
  client: ['client/send', 'client/values', 'client/live'],
  'client/live': ['client', 'client/send', 'client/values'],
  'client/send': [],
  'client/values': ['client/send'],
  http: [...feature, 'http/admin', 'http/contract', 'http/v2', 'http/feed', 'http/site'],
  'http/route': [...domain, 'domain/transaction', 'wire/request', 'wire/answer'],
  'http/limits': [...domain, ...wire, 'threads/limits', 'http/route'],
  'http/access': [...domain, 'wire/request', 'wire/answer', 'threads', 'threads/limits', 'http/route', 'http/limits'],
  'http/body': [...domain, 'wire/request', 'threads', 'http/route'],
  'http/observe': [...domain, 'wire/request', 'wire/answer', 'http/route'],
  'http/admin': feature,
  'http/contract': feature,
  'http/v2': feature,
  'http/feed': feature,
  'http/site': feature,
  ...Object.fromEntries(cli.map((room, at) => [room, [...cliSees, ...cli.slice(0, at)]])),
  'cli/import-file/target': [...cliSees, ...cli.slice(0, cli.indexOf('cli/import-file/target')), 'import'],
  'cli/import-file': [...cliSees, ...cli.slice(0, cli.indexOf('cli/import-file')), 'import', 'import/proposal'],
  'cli/takeover': [...cliSees, 'storage/transfer/folder', ...cli.slice(0, cli.indexOf('cli/takeover'))],
  'cli/data': [...cliSees, ...transfer, 'storage/verify', ...cli.slice(0, cli.indexOf('cli/data'))],
  // The entry of a further thread is beside that of the first one.
  telemetry: ['domain', 'http/observe', 'http/route', 'wire/request', 'wire'],
  'cli/serve': [...cliSees, 'telemetry', ...cli.slice(0, cli.indexOf('cli/serve')), 'cli'],
  cli: [...cliSees, 'telemetry', ...cli],
};

/** Folders outside `src`: each may also import from every folder of `src`. */
const tools: Readonly<Record<string, readonly string[]>> = {
  scripts: ['test'],
  test: ['scripts', 'torture', 'mutate'],
  conformance: ['test'],
  torture: ['scripts', 'test'],
  bench: ['scripts', 'test'],
  mutate: ['scripts', 'test'],
};

const screen = [
  'console/api',
  'console/state',
  'console/parts',
  'console/parts/inputs',
  'console/parts/values',
  'console/code',
  'console/query',
];
/** The parts of one screen. */
const screenRooms = ['health', 'home', 'import', 'keys', 'live', 'schema', 'summary', 'table'].map(
  (room) => `console/screens/${room}`,
);
/** The console: it speaks the public API with `client`, and imports only `exact`, `import` and the matcher of conditions besides. `tsconfig.json` gives it a browser's types. */
const consoleSees: Readonly<Record<string, readonly string[]>> = {
  console: [
    ...['console/api', 'console/sign-in', 'console/state', 'console/parts', 'console/find', 'console/screens'],
    'console/screens/sign-in',
  ],
  'console/api': ['client', 'client/send', 'domain/where'],
  'console/sign-in': ['console/api'],
  'console/state': ['console/api', 'console/sign-in'],
  'console/parts': ['console/api', 'console/state', 'console/parts/values'],
  'console/parts/values': ['console/api', 'console/state', 'console/parts'],
  'console/parts/inputs': ['console/api', 'console/state', 'console/parts', 'console/parts/values'],
  'console/find': ['console/api', 'console/state', 'console/parts', 'console/screens'],
  'console/code': ['console/api', 'console/state', 'console/parts'],
  'console/query': ['console/api', 'console/parts', 'console/parts/inputs', 'console/parts/values', 'console/code'],
  // Names are checked while they are typed, as the server checks them.
  'console/schema': [
    ...['console/api', 'console/state', 'console/parts', 'console/parts/values'],
    ...['console/schema/file', 'import/proposal'],
  ],
  'console/schema/file': ['console/schema'],
  'console/screens': [
    ...[...screen, ...screenRooms, 'console/sign-in', 'console/screens/record', 'console/screens/table/rows'],
    ...['console/screens/import/run', 'console/screens/import/panels', 'console/screens/import/new'],
  ],
  'console/screens/sign-in': ['console/sign-in', 'console/state', 'console/parts'],
  'console/screens/record': [...screen, 'console/screens/record/fields'],
  'console/screens/record/fields': [...screen, 'console/screens/record'],
  ...Object.fromEntries(screenRooms.map((room) => [room, screen])),
  'console/screens/schema': [
    ...[...screen, 'console/schema', 'console/schema/file', 'declarations', 'import/proposal'],
    ...['console/screens/schema/picture', 'console/screens/schema/dialogs'],
  ],
  'console/screens/schema/dialogs': ['console/parts', 'console/schema', 'console/screens/schema'],
  'console/screens/schema/picture': [...screen, 'console/schema', 'console/schema/file'],
  'console/screens/table': [...screen, 'console/screens/table/rows'],
  'console/screens/table/rows': screen,
  'console/screens/import': [...screen, 'import'],
  'console/screens/import/run': [...screen, 'import', 'console/screens/import'],
  'console/screens/import/new': [
    ...[...screen, 'console/schema', 'console/schema/file', 'console/screens/import', 'console/screens/import/run'],
    ...['declarations', 'import', 'import/proposal'],
  ],
  'console/screens/import/panels': [...screen, 'import', 'console/screens/import', 'console/screens/import/run'],
};

const filesOf = (pattern: string) =>
  [...new Bun.Glob(pattern).scanSync(root)].filter((file) => !/\.d\.ts$|node_modules|\/clients\//.test(file)).sort();
const files = filesOf('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const consoleFiles = filesOf('console/**/*.{ts,tsx}').filter((file) => !file.endsWith('.test.ts'));
const toolFiles = filesOf(`{${Object.keys(tools).join(',')}}/**/*.ts`);
const source = (file: string) => readFileSync(join(root, file), 'utf8');
const imports = (file: string) =>
  [...source(file).matchAll(/\b(?:from|import|require)\b[ (]'([^']+)'/g)].map(([, path]) => path ?? '');
const local = (file: string) =>
  imports(file)
    .filter((path) => path.startsWith('.') && /\.tsx?$/.test(path))
    .map((path) => normalize(join(dirname(file), path)))
    // A test may contain source as text.
    .filter((path) => existsSync(join(root, path)));
const folderOf = (file: string) => dirname(file).replace(/^src\//, '');
const toolOf = (file: string) => file.split('/')[0] ?? '';

test('there are files to check', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(toolFiles.length).toBeGreaterThan(20);
  expect(local('src/http/app.ts')).toContain('src/domain/store/store.ts');
});

test('every folder is listed', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(sees).sort());
});

test.each(files)('%s', (file) => {
  const allowed = [folderOf(file), 'exact', ...(sees[folderOf(file)] ?? [])];
  expect(local(file).filter((imported) => !allowed.includes(folderOf(imported)))).toEqual([]);
});

test.each(Object.keys(tools))('%s', (tool) => {
  const allowed = [tool, 'src', ...(tools[tool] ?? [])];
  for (const file of toolFiles.filter((one) => toolOf(one) === tool))
    expect({ file, forbidden: local(file).filter((imported) => !allowed.includes(toolOf(imported))) }).toEqual({
      file,
      forbidden: [],
    });
});

test('every folder of the console is listed', () => {
  expect([...new Set(consoleFiles.map(folderOf))].sort()).toEqual(Object.keys(consoleSees).sort());
});

test.each(consoleFiles)('%s', (file) => {
  const allowed = [folderOf(file), 'exact', ...(consoleSees[folderOf(file)] ?? [])];
  expect(local(file).filter((imported) => !allowed.includes(folderOf(imported)))).toEqual([]);
  expect(
    imports(file).filter(
      (path) =>
        !/^(\.|preact(\/hooks)?$|@preact\/signals$|oauth4webapi$|jsonc-parser$|uplot(\/dist\/uPlot\.min\.css)?$)/.test(
          path,
        ),
    ),
  ).toEqual([]);
  expect(source(file)).not.toMatch(/\bBun\.|dangerouslySetInnerHTML|innerHTML/);
});

test('exact values, imports and the domain use no runtime API and import only themselves and typebox', () => {
  for (const file of files.filter((path) => /^src\/(exact|import|domain|collections)\//.test(path))) {
    expect(source(file)).not.toMatch(/\bBun\.|\bprocess\.|\bfetch\(/);
    for (const path of imports(file)) expect(path).toMatch(/^(\.|typebox)/);
  }
});

test('no cycle', () => {
  const done = new Set<string>();
  function visit(file: string, trail: readonly string[]): void {
    expect(trail).not.toContain(file);
    if (done.has(file)) return;
    for (const next of local(file)) visit(next, [...trail, file]);
    done.add(file);
  }
  for (const file of [...files, ...consoleFiles, ...toolFiles]) visit(file, []);
});

test('no file has a catch-all name', () => {
  for (const file of [...files, ...consoleFiles])
    expect(file).not.toMatch(/\/(utils?|helpers?|types|common|misc)\.tsx?$/);
});
