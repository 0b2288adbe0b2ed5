/** Reads the command line and the environment by the table of settings. */
import { databaseFile, type Environment, readDatabaseFile, requireNewNames, UsageError } from './environment.ts';
import { grantFlags, type KeysCommand, readKeysCommand } from './keys-command.ts';
import { redacted } from './secrets.ts';
import { type Setting, switchValue } from './settings/setting.ts';
import { allSettings, type Config, settings } from './settings/settings.ts';
import { flagWarnings, tokenWarnings } from './warnings.ts';

/** `warnings` are lines for the operator, printed before the command runs. */
type Given = { readonly config: Config; readonly warnings: readonly string[] };
export type Command =
  | { readonly kind: 'help'; readonly topic: Topic }
  | { readonly kind: 'version' }
  | ({ readonly kind: 'serve' | 'migrate' } & Given)
  | ({ readonly kind: 'keys'; readonly order: KeysCommand } & Given)
  | ({ readonly kind: 'backup'; readonly to: string } & Given);

/** Flags that are on without a value, when they are the last argument or another flag follows. */
const switches: readonly string[] = allSettings.filter(({ value }) => value === switchValue).map(({ flag }) => flag);

const kinds = ['migrate', 'keys', 'backup'] as const;
/** Topics of --help. */
export const topics = ['serve', ...kinds, 'keys create', 'keys list', 'keys revoke'] as const;
export type Topic = (typeof topics)[number];

export function readCommand(args: readonly string[], env: Environment): Command {
  const kind = kinds.find((one) => one === args[0]) ?? 'serve';
  const rest = kind === 'serve' ? [...args] : args.slice(1);
  const words: string[] = [];
  const takesWords = kind === 'keys' || kind === 'backup';
  while (takesWords && rest[0]?.startsWith('-') === false) words.push(rest.shift() ?? '');
  const known = [...allSettings.map(({ flag }) => flag), ...(kind === 'keys' ? grantFlags : [])];
  const flags = new Map<string, string>();
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') return { kind: 'help', topic: topicOf(kind, words) };
    if (arg === '--version' || arg === '-v') return { kind: 'version' };
    const [flag = '', attached] = arg.split(/=(.*)/s);
    if (!known.includes(flag))
      throw new UsageError(`Unknown option ${JSON.stringify(redacted(flag))}: --help lists all options.`);
    const bare = switches.includes(flag) && rest[0]?.startsWith('-') !== false;
    const value = attached ?? (bare ? 'on' : rest.shift());
    if (value === undefined) throw new UsageError(`${flag} needs a value: see --help.`);
    flags.set(flag, value);
  }

  if (kind === 'serve') requireNewNames(env, flags);
  const fromFile = flags.has(settings.database.url.flag) ? undefined : readDatabaseFile(env);

  function read<Value>({ flag, env: variable, default: preset, expected, parse }: Setting<Value>): Value {
    const flagged = flags.get(flag);
    const filed = flag === settings.database.url.flag ? fromFile : undefined;
    // An empty variable is unset: a compose file may pass one through.
    const text = flagged ?? filed ?? (env[variable] || preset);
    const value = parse(text);
    if (value !== undefined) return value;
    const source = flagged !== undefined ? flag : filed !== undefined ? databaseFile : variable;
    throw new UsageError(`${source} must be ${expected}, not ${JSON.stringify(redacted(text))}.`);
  }

  // The cast is safe: every value keeps its name, and so the type of its setting.
  const config = mapEntries(settings, (group) =>
    mapEntries(group as Readonly<Record<string, Setting<unknown>>>, read),
  ) as Config;
  const warnings = [...flagWarnings(flags), ...(kind === 'serve' ? tokenWarnings(config.access) : [])];
  if (kind === 'backup') {
    const [to, ...more] = words;
    if (to === undefined || more.length > 0) throw new UsageError('Usage: shelf backup FILE');
    return { kind, config, warnings, to };
  }
  if (kind !== 'keys') return { kind, config, warnings };
  const order = readKeysCommand(words, flags);
  if (typeof order === 'string') throw new UsageError(order);
  return { kind, config, warnings, order };
}

function mapEntries<Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

function topicOf(kind: (typeof kinds)[number] | 'serve', words: readonly string[]): Topic {
  return topics.find((topic) => topic === `${kind} ${words[0]}`) ?? kind;
}
