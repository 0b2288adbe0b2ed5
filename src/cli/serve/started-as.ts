/** How the server was started, so that the commands that the console shows work as they are. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';
import type { StartedAs } from '../../http/access/started-as.ts';
import { hasPassword } from '../config/secrets.ts';
import { allSettings, settings } from '../settings/settings.ts';

export type Start = {
  /** The arguments of the command. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly executable: string;
  /** The script that runs; in an executable, a path inside of it. */
  readonly script: string;
  readonly folder: string;
  /** The name of the container whose first process this is; undefined outside of one. */
  readonly container: string | undefined;
  /** The configuration file that was read. */
  readonly file: string | undefined;
};

export function startedAs(start: Start): StartedAs {
  const { file, environment, container } = start;
  const { config, cert } = { ...settings.server, ...settings.tls };
  const { url } = settings.database;
  const own = [config, url, settings.access.auth] as readonly unknown[];
  const others = allSettings
    .filter((one) => !own.includes(one))
    .flatMap((one) => written(one.flag, givenTo(one, start)));
  const certificate = givenTo(cert, start);
  const program = programOf(start);
  return {
    program,
    start: container === undefined ? program : '',
    data: [...written(config.flag, file), ...databaseOf(givenTo(url, start))].join(' '),
    others: others.join(' '),
    trust: quoted((certificate && (environment.NODE_EXTRA_CA_CERTS || selfSigned(certificate))) ?? ''),
  };
}

function programOf({ environment, executable, script, folder, container }: Start): string {
  if (container !== undefined)
    return environment.KUBERNETES_SERVICE_HOST
      ? `kubectl exec ${container} -- shelf`
      : `docker exec ${container} shelf`;
  if (script.startsWith('/$bunfs')) return executableIn(environment.PATH, executable, folder);
  // Without its own lines, which would be in a file that the output is written to.
  if (script.endsWith('.ts')) return 'npm run --silent shelf --';
  // It was fetched for this start, and the command is not the name of the package.
  if (script.includes('/_npx/')) return 'npx shelf-server';
  return environment.npm_command === 'exec' || script.startsWith(`${folder}/node_modules/`) ? 'npx shelf' : 'shelf';
}

function executableIn(path = '', executable: string, folder: string): string {
  const place = dirname(executable);
  if (path.split(delimiter).includes(place)) return quoted(basename(executable));
  return quoted(place === folder ? `./${basename(executable)}` : executable);
}

/** `--name value` or `--name=value`, the last one; or the variable. A switch that stands alone is on. */
function givenTo({ flag, env }: { readonly flag: string; readonly env: string }, start: Start): string | undefined {
  const { args, environment } = start;
  const place = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const arg = args[place];
  if (arg === undefined) return environment[env] || undefined;
  if (arg !== flag) return arg.slice(flag.length + 1);
  const next = args[place + 1];
  return next === undefined || next.startsWith('-') ? 'on' : next;
}

/** A password belongs into no answer: without the variable the command is refused, and takes no other database. */
function databaseOf(url: string | undefined): string[] {
  return hasPassword(url ?? '') ? ['--database "$DATABASE_URL"'] : written('--database', url);
}

function written(flag: string, value: string | undefined): string[] {
  return value === undefined || hasPassword(value) ? [] : [`${flag} ${quoted(value)}`];
}

function quoted(value: string): string {
  return /^[\w./:@=-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** The file itself, if no authority has issued its certificate: clients have to be given it. */
function selfSigned(file: string): string | undefined {
  try {
    const certificate = new X509Certificate(readFileSync(file));
    return certificate.checkIssued(certificate) ? file : undefined;
  } catch {
    return undefined;
  }
}
