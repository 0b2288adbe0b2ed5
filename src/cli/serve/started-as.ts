/** How the server was started, so that the commands that the console shows work as they are. */
import { basename } from 'node:path';
import type { StartedAs } from '../../http/access/started-as.ts';
import { hasPassword } from '../config/secrets.ts';

export type Start = {
  /** The arguments of the command. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly executable: string;
  /** The script that runs; in an executable, a path inside of it. */
  readonly script: string;
  /** The configuration file that was read. */
  readonly file: string | undefined;
};

export function startedAs(start: Start): StartedAs {
  const { args, environment, file } = start;
  const database = flagIn(args, 'database') ?? environment.SHELF_DATABASE;
  const address = ['host', 'port'].flatMap((name) =>
    written(name, flagIn(args, name) ?? environment[`SHELF_${name.toUpperCase()}`]),
  );
  return {
    program: programOf(start),
    // A password belongs into no answer.
    data: [...written('config', file), ...(hasPassword(database ?? '') ? [] : written('database', database))].join(' '),
    address: address.join(' '),
  };
}

function programOf({ environment, executable, script }: Start): string {
  if (script.startsWith('/$bunfs')) return `./${basename(executable)}`;
  if (!script.endsWith('.ts')) return environment.npm_command === 'exec' ? 'npx shelf' : 'shelf';
  // Without its own lines, which would be in a file that the output is written to.
  return 'npm run --silent shelf --';
}

/** `--name value` or `--name=value`; the last one counts. */
function flagIn(args: readonly string[], name: string): string | undefined {
  const place = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  const arg = args[place];
  if (arg === undefined) return undefined;
  return arg === `--${name}` ? args[place + 1] : arg.slice(name.length + 3);
}

function written(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  return [`--${name} ${/^[\w./:@=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`];
}
