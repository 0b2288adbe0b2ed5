/** A proposal as a configuration file, with the evidence in comments. */
import type { ProposedField } from './field.ts';
import type { Proposal } from './proposal.ts';

/** `source`: where the records come from. */
export function declarationText({ collection, singular, rows, columns }: Proposal, source: string): string {
  const fields = columns.flatMap(({ column, name, field, because }, at) => [
    `        // ${column === name ? '' : `${oneLine(column)}: `}${oneLine(because)}.`,
    `        ${JSON.stringify(name)}: ${fieldText(field)}${at === columns.length - 1 ? '' : ','}`,
  ]);
  return `${[
    '{',
    '  "collections": {',
    `    // Proposed from ${rows === 1 ? 'one record' : `${rows} records`} of ${oneLine(source)}: change what you know better.`,
    `    ${JSON.stringify(collection)}: {`,
    `      "singular": ${JSON.stringify(singular)},`,
    '      "fields": {',
    ...fields,
    '      }',
    '    }',
    '  }',
    '}',
  ].join('\n')}\n`;
}

/** The columns that the fields of other names are imported from, as `--map` takes them. */
export function mapsOf({ columns }: Proposal): readonly string[] {
  return columns.filter(({ column, name }) => column !== name).map(({ column, name }) => `${column}=${name}`);
}

function fieldText({ type, ...options }: ProposedField): string {
  const members = Object.entries({ type, ...options }).map(
    ([key, value]) => `${JSON.stringify(key)}: ${valueText(value)}`,
  );
  return members.length === 1 ? JSON.stringify(type) : `{ ${members.join(', ')} }`;
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value);
}

/** A text from a file cannot end the comment. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
