/** `shelf generate FILE --collection NAME`: a declaration that the records of a file fit. */
import { fieldNameMistake } from '../../declarations/names.ts';
import { StartError } from '../../domain/errors.ts';
import { declarationText, mapsOf } from '../../import/proposal/declaration-text.ts';
import type { Proposal } from '../../import/proposal/proposal.ts';
import { NoRows, readColumns } from '../../import/proposal/read-rows.ts';
import { defaultFile } from '../config/config-file.ts';
import type { GenerateCommand } from '../config/generate-command.ts';
import { openInput } from './input.ts';

/** `text` is the file to write; `next` says what to do with it. */
export async function generate({ from, collection }: GenerateCommand): Promise<{ text: string; next: string }> {
  const input = await openInput(from);
  try {
    const columns = await readColumns(input);
    const proposal = columns.propose(collection, (name) => fieldNameMistake(name, false) !== undefined);
    return { text: declarationText(proposal, input.name), next: nextSteps(from, proposal) };
  } catch (error) {
    if (!(error instanceof NoRows)) throw error;
    const separator = error.message.startsWith('line') ? ', ' : ' ';
    throw new StartError(`${input.name}${separator}${error.message}.`);
  } finally {
    await input.close();
  }
}

function nextSteps(from: string, proposal: Proposal): string {
  const { collection, columns, rows } = proposal;
  const maps = mapsOf(proposal).map((map) => ` --map ${quoted(map)}`);
  const source = from === '-' ? '-' : quoted(from);
  const lines = /\.json$/i.test(from)
    ? "\nshelf: An import takes one object per line: write a list as lines first, as jq -c '.[]' does."
    : '';
  return `shelf: ${columns.length} fields from ${rows} records. Write them to ${defaultFile}, look at them, start, and import:
shelf:   shelf generate ${source} --collection ${collection} > ${defaultFile}
shelf:   shelf import ${source} --collection ${collection}${maps.join('')}${lines}
`;
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
