/** The text of --help, of the server and of each command, from the table of settings. */
import { type Topic, topics } from './config.ts';
import { databaseFile } from './environment.ts';
import type { Setting } from './settings/setting.ts';
import { allSettings, settings } from './settings/settings.ts';

type Row = { readonly left: string; readonly right: readonly string[] };
type Help = { readonly usage: string; readonly about: string; readonly rows: readonly Row[] };

const stop: readonly Row[] = [
  { left: '--help', right: ['Show this and stop.'] },
  { left: '--version', right: ['Show the version and stop.'] },
];

function rowsOf(shown: readonly Setting<unknown>[]): Row[] {
  return shown.map(({ flag, value, help, env, default: preset }) => ({
    left: `${flag} ${value}`,
    right: [
      help,
      `Default ${preset}. Environment: ${env}${env === settings.database.url.env ? ` or ${databaseFile}` : ''}.`,
    ],
  }));
}

/** What a command needs of the settings to reach the database. */
const { url, wait, timeout, prepare } = settings.database;
const reach = rowsOf([url, wait, timeout, prepare]);

const help: Readonly<Record<Topic, Help>> = {
  serve: {
    usage: 'shelf [options]',
    about: 'Serves collections of records, as JSON over HTTP.',
    rows: rowsOf(allSettings),
  },
  migrate: {
    usage: 'shelf migrate [options]',
    about: 'Makes the database, or brings its tables up to date, and ends.',
    rows: reach,
  },
  keys: {
    usage: 'shelf keys create|list|revoke [options]',
    about: 'Makes, lists and revokes API keys, also while the database is served. Each has a --help of its own.',
    rows: reach,
  },
  'keys create': {
    usage: 'shelf keys create --name NAME --scope SCOPE [options]',
    about: 'Makes an API key in a database that exists, and prints it on standard output, once and alone.',
    rows: [
      { left: '--name NAME', right: ['1 to 64 letters, digits, dots, dashes or underscores.'] },
      { left: '--scope SCOPE', right: ['read, write (includes read) or admin (includes write).'] },
      {
        left: '--collections NAMES',
        right: ['The collections that it is for, separated by commas; all where left out.'],
      },
      { left: '--expires TIME', right: ['From 1h to 3650d, such as 12h or 90d; never where left out.'] },
      ...reach,
    ],
  },
  'keys list': {
    usage: 'shelf keys list [options]',
    about: 'Lists all API keys, revoked and expired ones too. The keys themselves are not stored.',
    rows: reach,
  },
  'keys revoke': {
    usage: 'shelf keys revoke NAME [options]',
    about: 'Revokes the API key with this name or id, from the next request on.',
    rows: reach,
  },
  backup: {
    usage: 'shelf backup FILE [options]',
    about: 'Copies a SQLite database to a new file, also while it is served, and checks the copy.',
    rows: rowsOf([url]),
  },
};

export function helpText(topic: Topic): string {
  const { usage, about, rows } = help[topic];
  const all = [...rows, ...stop];
  const width = Math.max(...all.map(({ left }) => left.length)) + 2;
  const lines = all.flatMap(({ left, right }) =>
    right.map((text, index) => `  ${(index === 0 ? left : '').padEnd(width)}${text}`),
  );
  const commands =
    topic === 'serve' ? `\nCommands (each with --help; from a checkout: npm run shelf -- COMMAND):\n${list()}\n` : '';
  return `Usage: ${usage}

${about}
${commands}
Options (a flag beats its environment variable; a SWITCH is on or off, and on where it is left out):
${lines.join('\n')}
`;
}

function list(): string {
  const others = topics.filter((topic) => topic !== 'serve' && topic !== 'keys').map((topic) => help[topic]);
  return others.map(({ usage, about }) => `  ${usage}\n      ${about}`).join('\n');
}
