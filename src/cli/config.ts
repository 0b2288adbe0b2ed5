/** The command line and the environment, read by the table of settings. */
import { StartError } from '../domain/errors.ts';
import { grantFlags, type KeysOrder, readKeysOrder } from './keys-order.ts';
import { type Setting, settings, switchValue } from './settings.ts';

type Settings = typeof settings;
export type Config = { readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never };
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve' | 'migrate'; readonly config: Config }
  | { readonly kind: 'keys'; readonly config: Config; readonly order: KeysOrder }
  | { readonly kind: 'backup'; readonly config: Config; readonly to: string };

/** Flags that mean on without a value: the last of all, or followed by another flag. */
const switches: readonly string[] = Object.values(settings)
  .filter(({ value }) => value === switchValue)
  .map(({ flag }) => flag);

const kinds = ['migrate', 'keys', 'backup'] as const;

/** A command line that cannot be followed. */
export class UsageError extends StartError {}

export function readCommand(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Command {
  const kind = kinds.find((one) => one === args[0]) ?? 'serve';
  const rest = kind === 'serve' ? [...args] : args.slice(1);
  const words: string[] = [];
  const takesWords = kind === 'keys' || kind === 'backup';
  while (takesWords && rest[0]?.startsWith('-') === false) words.push(rest.shift() ?? '');
  const known = [...Object.values(settings).map(({ flag }) => flag), ...(kind === 'keys' ? grantFlags : [])];
  const flags = new Map<string, string>();
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') return { kind: 'help' };
    if (arg === '--version' || arg === '-v') return { kind: 'version' };
    const [flag = '', attached] = arg.split(/=(.*)/s);
    if (!known.includes(flag))
      throw new UsageError(`Unknown option ${shown(flag)}: --help lists the options there are.`);
    const bare = switches.includes(flag) && rest[0]?.startsWith('-') !== false;
    const value = attached ?? (bare ? 'on' : rest.shift());
    if (value === undefined) throw new UsageError(`${flag} needs a value: --help shows how.`);
    flags.set(flag, value);
  }

  function read<Value>({ flag, env: variable, default: preset, expected, parse }: Setting<Value>): Value {
    const flagged = flags.get(flag);
    // An empty variable counts as unset, as in a compose file that passes one through.
    const text = flagged ?? (env[variable] || preset);
    const value = parse(text);
    if (value !== undefined) return value;
    throw new UsageError(`${flagged === undefined ? variable : flag} must be ${expected}, not ${shown(text)}.`);
  }

  // Each under its own name, and so of its own type.
  const values = Object.entries(settings).map(([name, setting]) => [name, read<unknown>(setting)] as const);
  const config = Object.fromEntries(values) as Config;
  if (kind === 'backup') {
    const [to, ...more] = words;
    if (to === undefined || more.length > 0) throw new UsageError('Say where to: backup FILE.');
    return { kind, config, to };
  }
  if (kind !== 'keys') return { kind, config };
  const order = readKeysOrder(words, flags);
  if (typeof order === 'string') throw new UsageError(order);
  return { kind, config, order };
}

/** The value as given, less the password that a URL may hold. */
function shown(text: string): string {
  return JSON.stringify(text.replace(/(\/\/[^:]*:).*@/s, '$1***@'));
}
