/** The --help texts of the server and of each command, from the table of settings. */

import type { Setting } from '../settings/setting.ts';
import { allSettings, settings } from '../settings/settings.ts';
import { type Topic, topics } from './config.ts';
import { databaseFile } from './environment.ts';

/** What stands on the left, and its lines on the right. */
type Row = readonly [left: string, ...right: string[]];
type Help = { readonly usage: string; readonly about: string; readonly rows: readonly Row[] };

const stop: readonly Row[] = [
  ['--help', 'Print this help and exit.'],
  ['--version', 'Print the version and exit.'],
];

function rowsOf(shown: readonly Setting<unknown>[]): Row[] {
  return shown.map(({ flag, value, help, env, default: preset }) => [
    `${flag} ${value}`,
    help,
    `Default ${preset}. Environment: ${env}${env === settings.database.url.env ? ` or ${databaseFile}` : ''}.`,
  ]);
}

/** Settings that a command needs to connect to the database. */
const { url, wait, timeout, prepare } = settings.database;
const databaseRows = rowsOf([url, wait, timeout, prepare]);
const { config } = settings.server;
const { audit } = settings.log;

const help: Readonly<Record<Topic, Help>> = {
  serve: {
    usage: 'shelf [options]',
    about: 'Serves collections of records as JSON over HTTP.',
    rows: rowsOf(allSettings),
  },
  init: {
    usage: 'shelf init [FILE]',
    about: 'Writes a first configuration file (shelf.json) with an example, and says what to do next.',
    rows: [],
  },
  generate: {
    usage: 'shelf generate FILE --collection NAME',
    about:
      'Proposes a configuration file from the records of a CSV, NDJSON or JSON file, or of standard input (-), and prints it, with the reason for each type. Touches no database.',
    rows: [['--collection NAME', 'The collection to declare.']],
  },
  check: {
    usage: 'shelf check [FILE]',
    about: 'Checks a configuration file, lists every mistake, and exits. Touches no database.',
    rows: rowsOf([config]),
  },
  health: {
    usage: 'shelf health [options]',
    about:
      'Asks the server that runs with these settings whether it is alive; the exit code is 1 if it is not. For the health check of a container.',
    rows: rowsOf([config, settings.server.port, settings.server.host, settings.server.listen, settings.tls.cert]),
  },
  migrate: {
    usage: 'shelf migrate [options]',
    about:
      'Creates the database or updates its tables to the declared collections, and exits. What would lose data is done only if it is allowed.',
    rows: [
      ['--plan SWITCH', 'Print the steps and exit; nothing is changed.'],
      [
        '--allow STEPS',
        'Steps that may lose or change data, separated by commas, such as drop:books.tags. Default none.',
      ],
      ...rowsOf([config]),
      ...databaseRows,
    ],
  },
  import: {
    usage: 'shelf import FILE --collection NAME [options], or shelf import DIR [--merge] [options]',
    about:
      'Adds the records of a CSV or NDJSON file, or of standard input (-), to a collection, or with --key updates those that exist; run the same command again to continue an import that was broken off. Or brings back what shelf export has written to a folder, with ids, versions and times, to a database that is empty; stop its servers first.',
    rows: [
      [
        '--merge SWITCH',
        'DIR: add what a database lacks that is not empty. A record that differs from the one with its id is refused.',
      ],
      ['--collection NAME', 'FILE: the collection to add to. The following options are for a file, too.'],
      [
        '--map COLUMN=FIELD',
        'The field that a column has, if its name is another one; no field leaves the column out. May be repeated.',
      ],
      [
        '--key FIELDS',
        'The fields of a unique rule, separated by commas: a record that exists with the same values is updated, another one is created. Default: all are added.',
      ],
      ['--dry-run', 'Check everything and add nothing.'],
      ['--atomic', 'Add all records in one transaction, or none.'],
      ['--again', 'Add the whole file anew, also what an earlier import of it has added.'],
      [
        '--rejects FILE',
        'Write refused rows to this file and go on. Without it the first refused row stops the import.',
      ],
      ['--url URL', 'Import through this server, such as http://127.0.0.1:8000, and not into --database.'],
      ['--key-file FILE', 'A file with the API key for --url. Default none. Environment: SHELF_KEY, the key itself.'],
      ...rowsOf([config]),
      ...databaseRows,
      ...rowsOf([settings.limits.maxBody]),
    ],
  },
  keys: {
    usage: 'shelf keys create|list|revoke [options]',
    about: 'Creates, lists and revokes API keys, also while a server is running. Each command has its own --help.',
    rows: databaseRows,
  },
  'keys create': {
    usage:
      'shelf keys create --name NAME --scope SCOPE [options], or shelf keys create --name NAME --role ROLE [options]',
    about:
      'Creates an API key in an existing database. Prints only the key on standard output; it cannot be shown again.',
    rows: [
      ['--name NAME', '1 to 64 letters, digits, dots, dashes or underscores.'],
      ['--scope SCOPE', 'read, write (includes read) or admin (includes write).'],
      ['--collections NAMES', 'Collections that the key can access, separated by commas. Default all.'],
      ['--role ROLE', 'A role of the configuration file, in place of a scope: its rules say what the key may do.'],
      [
        '--claim NAME=VALUE',
        'With --role: what the rules know of the caller, such as member_id=7. A number, true, false, a list or a text in quotes is read as JSON; anything else is a text. May be repeated.',
      ],
      ['--expires TIME', 'From 1h to 3650d, such as 12h or 90d. Default never.'],
      ...rowsOf([config, audit]),
      ...databaseRows,
    ],
  },
  'keys list': {
    usage: 'shelf keys list [options]',
    about: 'Lists all API keys, including revoked and expired ones. The keys themselves are not stored.',
    rows: databaseRows,
  },
  'keys revoke': {
    usage: 'shelf keys revoke NAME [options]',
    about: 'Revokes the API key with this name or id. The next request with it is refused.',
    rows: [...rowsOf([audit]), ...databaseRows],
  },
  types: {
    usage: 'shelf types [options]',
    about:
      'Prints the types of all collections for the typed client (shelf-client): of the configuration file, or of a running server. Touches no database.',
    rows: [
      [
        '--url URL',
        'A running server; the environment variable SHELF_KEY has the API key, if it needs one. Default none: the file.',
      ],
      ['--role ROLE', 'Only what this role of the configuration file may read and send. Default none: everything.'],
      ...rowsOf([config]),
    ],
  },
  access: {
    usage: 'shelf access --as ROLE [options]',
    about:
      'Prints what a role of the configuration file may do: collections, operations, records and fields. With --explain, also which rule allows or hides a record of the database, and why.',
    rows: [
      ['--as ROLE', 'A role of the configuration file.'],
      [
        '--claim NAME=VALUE',
        'What the rules know of the caller, such as member_id=7, as for shelf keys create. May be repeated.',
      ],
      ['--explain RECORD', 'A collection and an id, such as loans/40. Default none: touches no database.'],
      ...rowsOf([config]),
      ...databaseRows,
    ],
  },
  export: {
    usage: 'shelf export DIR [options]',
    about:
      'Writes the records of every collection to a new folder, as of one moment: NDJSON, and a manifest with declarations, counts and digests. Also while a server is running.',
    rows: [...rowsOf([config]), ...databaseRows],
  },
  move: {
    usage: 'shelf move --from URL --to URL [options]',
    about:
      'Copies a database to a new one, also of the other engine, and checks that both are the same. Stop its servers first.',
    rows: [
      ['--from URL', 'The database to copy. Default --database, so that its password need not be here.'],
      ['--to URL', 'A database that does not exist yet, or is empty. Default --database.'],
      ...rowsOf([url, config, timeout, prepare]),
    ],
  },
  restore: {
    usage: 'shelf restore FILE [options]',
    about:
      'Replaces a SQLite database with a file of shelf backup, which is checked first. The database from before is kept beside it. Stop its server first.',
    rows: rowsOf([url, config]),
  },
  verify: {
    usage: 'shelf verify [options]',
    about:
      'Reads everything in a database, also while servers run, and lists what is wrong: the files, every record against its declaration, the change feed against the records, references and unique values. The exit code is 1 if anything is wrong.',
    rows: [...rowsOf([config]), ...databaseRows],
  },
  backup: {
    usage: 'shelf backup FILE [options]',
    about: 'Copies a SQLite database to a new file, also while a server is running, and checks the copy.',
    rows: rowsOf([url, config]),
  },
};

export function helpText(topic: Topic): string {
  const { usage, about, rows } = help[topic];
  const all = [...rows, ...stop];
  const width = Math.max(...all.map(([left]) => left.length)) + 2;
  const lines = all.flatMap(([left, ...right]) =>
    right.map((text, index) => `  ${(index === 0 ? left : '').padEnd(width)}${text}`),
  );
  const commands =
    topic === 'serve' ? `\nCommands (each with --help; from a checkout: npm run shelf -- COMMAND):\n${list()}\n` : '';
  return `Usage: ${usage}

${about}
${commands}
Options (a flag overrides its environment variable; a SWITCH is on or off, and on without a value):
${lines.join('\n')}
`;
}

function list(): string {
  const others = topics.filter((topic) => topic !== 'serve' && topic !== 'keys').map((topic) => help[topic]);
  return others.map(({ usage, about }) => `  ${usage}\n      ${about}`).join('\n');
}
