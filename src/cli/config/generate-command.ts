/** Parses the arguments of `generate FILE --collection NAME`. */

import { collections as contract } from '../../collections/registry.ts';
import { collectionNameMistake, isTaken, reserved } from '../../declarations/names.ts';
import { UsageError } from './environment.ts';
import { collectionFlag } from './import-command.ts';

/** `from`: a path, or - for standard input. */
export type GenerateCommand = { readonly from: string; readonly collection: string };

export function readGenerateCommand(words: readonly string[], flags: ReadonlyMap<string, string>): GenerateCommand {
  const [from, ...more] = words;
  const collection = flags.get(collectionFlag);
  if (from === undefined || more.length > 0 || collection === undefined)
    throw new UsageError('Usage: shelf generate FILE.csv|FILE.ndjson|FILE.json --collection NAME');
  if (contract.some(({ name }) => name === collection))
    throw new UsageError(`${collectionFlag} ${collection} is a collection of the contract: choose another name.`);
  const mistake = isTaken(collection) ? reserved(collection) : collectionNameMistake(collection);
  if (mistake !== undefined)
    throw new UsageError(
      `${collectionFlag} ${JSON.stringify(collection)} cannot be the name of a collection: ${mistake}.`,
    );
  return { from, collection };
}
