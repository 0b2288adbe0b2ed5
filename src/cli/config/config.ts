/** Reads the command line and the environment by the table of settings. */
import { collectionsOf } from '../../collections/registry.ts';
import { similar } from '../../domain/input/suggest.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Setting } from '../settings/setting.ts';
import { allSettings, type Config, settings } from '../settings/settings.ts';
import { switchValue } from '../settings/values.ts';
import { type AccessCommand, accessFlags, readAccessCommand } from './access-command.ts';
import { type ConfigFile, findConfigFile } from './config-file.ts';
import { type DataCommand, dataShapes, isDataKind, readDataCommand } from './data-command.ts';
import {
  databaseFile,
  type Environment,
  onlyWord,
  readDatabaseFile,
  requireNewNames,
  UsageError,
} from './environment.ts';
import { type GenerateCommand, readGenerateCommand } from './generate-command.ts';
import {
  collectionFlag,
  type ImportFileCommand,
  importFileFlags,
  importFileSwitches,
  mapFlag,
  readImportFile,
} from './import-command.ts';
import { claimFlag, grantFlags, type KeysCommand, readKeysCommand } from './keys-command.ts';
import { type MigrateCommand, migrateFlags, planFlag, readMigrateCommand } from './migrate-command.ts';
import { redacted } from './secrets.ts';
import { readTypesCommand, type TypesCommand, typesFlags } from './types-command.ts';
import { flagWarnings, tokenWarnings } from './warnings.ts';

/** `warnings` are lines for the operator, printed before the command runs. */
type Given = {
  readonly config: Config;
  /** Those of the contract, and those of the configuration file. */
  readonly collections: readonly Collection[];
  readonly file: ConfigFile | undefined;
  readonly warnings: readonly string[];
};
export type Command =
  | { readonly kind: 'help'; readonly topic: Topic }
  | { readonly kind: 'version' }
  | { readonly kind: 'init'; readonly to: string | undefined }
  | { readonly kind: 'generate'; readonly order: GenerateCommand }
  | ({ readonly kind: 'serve' } & Given)
  | ({ readonly kind: 'check' } & Given)
  | ({ readonly kind: 'health' } & Given)
  | ({ readonly kind: 'migrate'; readonly order: MigrateCommand } & Given)
  | ({ readonly kind: 'keys'; readonly order: KeysCommand } & Given)
  | ({ readonly kind: 'types'; readonly order: TypesCommand } & Given)
  | ({ readonly kind: 'access'; readonly order: AccessCommand } & Given)
  | ({ readonly kind: 'backup'; readonly to: string } & Given)
  | ({ readonly kind: 'data'; readonly order: DataCommand } & Given)
  | ({ readonly kind: 'import'; readonly order: ImportFileCommand } & Given);

/** Flags that are on without a value, when they are the last argument or another flag follows. */
const switches: readonly string[] = allSettings.filter(({ value }) => value === switchValue).map(({ flag }) => flag);

/**
 * `words`: arguments that are not flags. `flags`: flags of this command alone; `switches`: those of them that are on without a
 * value; `repeated`: those that may be given several times.
 */
type Shape = {
  readonly words: boolean;
  readonly flags: readonly string[];
  readonly switches: readonly string[];
  readonly repeated?: readonly string[];
};
const plain: Shape = { words: true, flags: [], switches: [] };
const shapes = {
  init: plain,
  generate: { ...plain, flags: [collectionFlag] },
  check: plain,
  health: { ...plain, words: false },
  migrate: { words: false, flags: migrateFlags, switches: [planFlag] },
  keys: { ...plain, flags: grantFlags, repeated: [claimFlag] },
  types: { words: false, flags: typesFlags, switches: [] },
  access: { words: false, flags: accessFlags, switches: [], repeated: [claimFlag] },
  backup: plain,
  ...dataShapes,
  import: {
    words: true,
    flags: [...importFileFlags, ...dataShapes.import.flags],
    switches: [...importFileSwitches, ...dataShapes.import.switches],
    repeated: [mapFlag],
  },
} satisfies Readonly<Record<string, Shape>>;
type Kind = keyof typeof shapes;
const kinds = Object.keys(shapes) as readonly Kind[];

/** Topics of --help. */
export type Topic = 'serve' | Kind | 'keys create' | 'keys list' | 'keys revoke';
export const topics: readonly Topic[] = ['serve', ...kinds, 'keys create', 'keys list', 'keys revoke'];

export function readCommand(args: readonly string[], env: Environment): Command {
  const kind = kinds.find((one) => one === args[0]) ?? 'serve';
  const rest = kind === 'serve' ? [...args] : args.slice(1);
  const shape: Shape = kind === 'serve' ? { ...plain, words: false } : shapes[kind];
  const words: string[] = [];
  // A dash alone is standard input.
  while (shape.words && (rest[0] === '-' || rest[0]?.startsWith('-') === false)) words.push(rest.shift() ?? '');
  const known = [...allSettings.map(({ flag }) => flag), ...shape.flags];
  const flags = new Map<string, string>();
  const repeated = new Map<string, string[]>();
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--help' || arg === '-h') return { kind: 'help', topic: topicOf(kind, words) };
    if (arg === '--version' || arg === '-v') return { kind: 'version' };
    const [flag = '', attached] = arg.split(/=(.*)/s);
    if (!known.includes(flag)) throw unknownArgument(flag, kind, known);
    const isSwitch = switches.includes(flag) || shape.switches.includes(flag);
    const bare = isSwitch && rest[0]?.startsWith('-') !== false;
    const value = attached ?? (bare ? 'on' : rest.shift());
    if (value === undefined) throw new UsageError(`${flag} needs a value: see --help.`);
    flags.set(flag, value);
    if (shape.repeated?.includes(flag)) repeated.set(flag, [...(repeated.get(flag) ?? []), value]);
  }

  if (kind === 'init') {
    if (words.length > 1) throw new UsageError('Usage: shelf init [FILE]');
    return { kind, to: words[0] };
  }
  if (kind === 'generate') return { kind, order: readGenerateCommand(words, flags) };
  if (kind === 'serve') requireNewNames(env, flags);
  const fromFile = flags.has(settings.database.url.flag) ? undefined : readDatabaseFile(env);
  if (kind === 'check' && words.length > 1) throw new UsageError('Usage: shelf check [FILE]');
  const { flag: configFlag, env: configVariable } = settings.server.config;
  const path = (kind === 'check' ? words[0] : undefined) ?? flags.get(configFlag) ?? (env[configVariable] || undefined);
  const file = findConfigFile(path, allSettings, kind === 'check');

  function read<Value>({ flag, env: variable, default: preset, expected, parse }: Setting<Value>): Value {
    const flagged = flags.get(flag);
    const filed = flag === settings.database.url.flag ? fromFile : undefined;
    // An empty variable is unset: a compose file may pass one through.
    const text = flagged ?? filed ?? (env[variable] || (file?.settings.get(flag) ?? preset));
    const value = parse(text);
    if (value !== undefined) return value;
    const source = flagged !== undefined ? flag : filed !== undefined ? databaseFile : variable;
    throw new UsageError(`${source} must be ${expected}, not ${JSON.stringify(redacted(text))}.`);
  }

  // The cast is safe: every value keeps its name, and so the type of its setting.
  const config = mapEntries(settings, (group) =>
    mapEntries(group as Readonly<Record<string, Setting<unknown>>>, read),
  ) as Config;
  const ofFile = kind === 'serve' || kind === 'check' ? (file?.warnings ?? []) : [];
  const warnings = [...flagWarnings(flags), ...(kind === 'serve' ? tokenWarnings(config.access) : []), ...ofFile];
  const collections = collectionsOf(file?.declarations ?? {}, file?.without ?? []);
  const given = { config, collections, file, warnings };
  if (kind === 'backup') return { kind, ...given, to: onlyWord(words, 'shelf backup FILE') };
  if (kind === 'types') return { kind, ...given, order: readTypesCommand(flags, env) };
  if (kind === 'access') return { kind, ...given, order: readAccessCommand(flags, repeated.get(claimFlag) ?? []) };
  // A file is added to a collection; a folder is an export.
  if (kind === 'import' && flags.has(collectionFlag))
    return { kind, ...given, order: readImportFile(words, flags, repeated.get(mapFlag) ?? []) };
  const stray = kind === 'import' ? importFileFlags.find((flag) => flags.has(flag) || repeated.has(flag)) : undefined;
  if (stray !== undefined) throw new UsageError(`${stray} is only valid with ${collectionFlag}: leave it out.`);
  if (isDataKind(kind))
    return { kind: 'data', ...given, order: readDataCommand(kind, { words, flags }, config.database.url) };
  if (kind === 'migrate') return { kind, ...given, order: readMigrateCommand(flags) };
  if (kind !== 'keys') return { kind, ...given };
  const order = readKeysCommand(words, flags, repeated.get(claimFlag) ?? []);
  if (typeof order === 'string') throw new UsageError(order);
  return { kind, ...given, order };
}

function unknownArgument(given: string, kind: Kind | 'serve', flags: readonly string[]): UsageError {
  const isOption = given.startsWith('-');
  const isCommand = !isOption && kind === 'serve';
  const what = isOption ? 'option' : isCommand ? 'command' : 'argument';
  const meant = isOption ? similar(given, flags) : isCommand ? similar(given, kinds) : undefined;
  const help = `: --help lists all ${isCommand ? 'commands' : 'options'}.`;
  return new UsageError(`Unknown ${what} ${JSON.stringify(redacted(given))}${meant ?? help}`);
}

function mapEntries<Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

function topicOf(kind: Kind | 'serve', words: readonly string[]): Topic {
  return topics.find((topic) => topic === `${kind} ${words[0]}`) ?? kind;
}
