/** Parses the arguments of the commands for whole databases. */
import { statSync } from 'node:fs';
import { type Engine, engineForms, parseEngine } from '../../storage/open.ts';
import { onlyWord, switchOf, UsageError } from './environment.ts';
import { redacted } from './secrets.ts';

export type DataCommand =
  | { readonly kind: 'export'; readonly to: string }
  | { readonly kind: 'import'; readonly from: string; readonly merges: boolean }
  | { readonly kind: 'move'; readonly from: Engine; readonly to: Engine }
  | { readonly kind: 'restore'; readonly from: string }
  | { readonly kind: 'verify' };
export type DataKind = DataCommand['kind'];

const mergeFlag = '--merge';
const importUsage = 'shelf import FILE --collection NAME, or shelf import DIR [--merge]';

/** Arguments of each command, besides the settings. */
export const dataShapes = {
  export: { words: true, flags: [], switches: [] },
  import: { words: true, flags: [mergeFlag], switches: [mergeFlag] },
  move: { words: false, flags: ['--from', '--to'], switches: [] },
  restore: { words: true, flags: [], switches: [] },
  verify: { words: false, flags: [], switches: [] },
} satisfies Readonly<Record<DataKind, unknown>>;

export const isDataKind = (kind: string): kind is DataKind => Object.hasOwn(dataShapes, kind);

export type Arguments = { readonly words: readonly string[]; readonly flags: ReadonlyMap<string, string> };

/** `database` is the setting of that name: in a move it is the source or the target if the other one is given. */
export function readDataCommand(kind: DataKind, { words, flags }: Arguments, database: Engine): DataCommand {
  switch (kind) {
    case 'export':
      return { kind, to: onlyWord(words, 'shelf export DIR') };
    case 'import': {
      const merges = switchOf(flags, mergeFlag);
      const from = onlyWord(words, importUsage);
      // A file needs a collection.
      if (statSync(from, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`Usage: ${importUsage}`);
      return { kind, from, merges };
    }
    case 'move': {
      const [from, to] = [engineIn(flags, '--from'), engineIn(flags, '--to')];
      if (from === undefined && to === undefined) throw new UsageError('Usage: shelf move --from URL --to URL');
      return { kind, from: from ?? database, to: to ?? database };
    }
    case 'restore':
      return { kind, from: onlyWord(words, 'shelf restore FILE') };
    case 'verify':
      return { kind };
  }
}

function engineIn(flags: ReadonlyMap<string, string>, flag: string): Engine | undefined {
  const text = flags.get(flag);
  if (text === undefined) return undefined;
  const engine = parseEngine(text);
  if (engine === undefined)
    throw new UsageError(`${flag} must be ${engineForms}, not ${JSON.stringify(redacted(text))}.`);
  return engine;
}
