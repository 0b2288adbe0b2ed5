/** Parses the arguments of the commands for whole databases. */
import { type Engine, engineForms, parseEngine } from '../../storage/open.ts';
import { UsageError } from '../environment.ts';
import { redacted } from '../secrets.ts';

export type DataCommand = { readonly kind: 'move'; readonly from: Engine; readonly to: Engine };
export type DataKind = DataCommand['kind'];

/** Flags of each command, besides the settings. */
export const dataShapes = {
  move: { words: false, flags: ['--from', '--to'], switches: [] },
} satisfies Readonly<Record<DataKind, unknown>>;

export const isDataKind = (kind: string): kind is DataKind => Object.hasOwn(dataShapes, kind);

/** `database` is the setting of that name: it is the source or the target if the other one is given. */
export function readDataCommand(kind: DataKind, flags: ReadonlyMap<string, string>, database: Engine): DataCommand {
  const [from, to] = [engineIn(flags, '--from'), engineIn(flags, '--to')];
  if (from === undefined && to === undefined) throw new UsageError('Usage: shelf move --from URL --to URL');
  return { kind, from: from ?? database, to: to ?? database };
}

function engineIn(flags: ReadonlyMap<string, string>, flag: string): Engine | undefined {
  const text = flags.get(flag);
  if (text === undefined) return undefined;
  const engine = parseEngine(text);
  if (engine === undefined)
    throw new UsageError(`${flag} must be ${engineForms}, not ${JSON.stringify(redacted(text))}.`);
  return engine;
}
