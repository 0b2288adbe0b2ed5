/** Parses the arguments of `import FILE --collection NAME`. */

import { switchOf, UsageError } from './environment.ts';

export type ImportFileCommand = {
  /** A path, or - for standard input. */
  readonly from: string;
  readonly collection: string;
  /** Fields by columns; undefined for a column to leave out. */
  readonly mapped: ReadonlyMap<string, string | undefined>;
  /** The fields of a unique rule: records that have the same values are updated. Undefined if all records are added. */
  readonly key: readonly string[] | undefined;
  readonly isDry: boolean;
  readonly isAtomic: boolean;
  /** Also what an earlier import has added. */
  readonly isAgain: boolean;
  /** The file for refused rows; without one, the first refused row stops the import. */
  readonly rejects: string | undefined;
  /** The server to import to; undefined for the database. */
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
};

export const collectionFlag = '--collection';
export const mapFlag = '--map';
const keyFlag = '--key';
const [dryFlag, atomicFlag, againFlag, rejectsFlag] = ['--dry-run', '--atomic', '--again', '--rejects'];
const [urlFlag, keyFileFlag] = ['--url', '--key-file'];

export const importFileFlags = [
  collectionFlag,
  mapFlag,
  keyFlag,
  dryFlag,
  atomicFlag,
  againFlag,
  rejectsFlag,
  urlFlag,
  keyFileFlag,
];
export const importFileSwitches = [dryFlag, atomicFlag, againFlag];

const usage =
  'Usage: shelf import FILE.csv --collection NAME [--map COLUMN=FIELD] [--key FIELD,...] [--dry-run] [--atomic] [--again] [--rejects FILE] [--url URL]';

export function readImportFile(
  words: readonly string[],
  flags: ReadonlyMap<string, string>,
  maps: readonly string[],
): ImportFileCommand {
  const [from, ...more] = words;
  const collection = flags.get(collectionFlag);
  if (from === undefined || more.length > 0 || collection === undefined) throw new UsageError(usage);
  if (flags.has('--merge')) throw new UsageError(`--merge is only valid with a folder of shelf export: leave it out.`);
  const order = {
    from,
    collection,
    mapped: mappedIn(maps),
    key: flags.get(keyFlag)?.split(','),
    isDry: switchOf(flags, dryFlag),
    isAtomic: switchOf(flags, atomicFlag),
    isAgain: switchOf(flags, againFlag),
    rejects: flags.get(rejectsFlag),
    url: flags.get(urlFlag),
    keyFile: flags.get(keyFileFlag),
  };
  if (order.rejects !== undefined && (order.isDry || order.isAtomic))
    throw new UsageError(
      `${rejectsFlag} has no effect with ${order.isDry ? dryFlag : atomicFlag}, which adds nothing if a row is refused: leave one of them out.`,
    );
  if (order.isAgain && order.isDry)
    throw new UsageError(`${againFlag} has no effect with ${dryFlag}, which adds nothing: leave one of them out.`);
  if (order.keyFile !== undefined && order.url === undefined)
    throw new UsageError(`${keyFileFlag} is only valid with ${urlFlag}: a database needs no key.`);
  if (order.url !== undefined && !isServer(order.url))
    throw new UsageError(`${urlFlag} must be the address of a server, such as http://127.0.0.1:8000.`);
  return order;
}

/** A column name can contain an equals sign; a field name cannot. */
function mappedIn(maps: readonly string[]): Map<string, string | undefined> {
  const mapped = new Map<string, string | undefined>();
  for (const map of maps) {
    const [, column, field] = /^(.+)=([^=]*)$/s.exec(map) ?? [];
    if (column === undefined)
      throw new UsageError(
        `${mapFlag} must be a column and a field, such as "Title=title", or "Notes=" to leave a column out, not ${JSON.stringify(map)}.`,
      );
    if (mapped.has(column)) throw new UsageError(`${mapFlag} has the column ${JSON.stringify(column)} twice.`);
    mapped.set(column, field === '' ? undefined : field);
  }
  return mapped;
}

/** A user or a password in a URL would be in the list of processes. */
function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}
