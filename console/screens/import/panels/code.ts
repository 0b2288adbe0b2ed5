/** The import that is about to be made, as code. */
import type { Collection } from '../../../api/declarations.ts';
import type { Code } from '../../../code/as-code.tsx';
import { command } from '../../../code/commands.ts';
import { curlOf, quoted } from '../../../code/curl.ts';
import { literalOf, objectLiteral, programOf } from '../../../code/typescript.ts';
import { entryReader } from '../entry.ts';
import { type Plan, refusedColumns, targetsOf } from '../plan.ts';
import { bulkPath } from '../run/bulk.ts';
import type { Source, SourceRow } from '../source.ts';

const mostRecords = 3;

export type Coded = {
  readonly source: Pick<Source, 'name'>;
  readonly plan: Plan;
  /** The first rows. */
  readonly rows: readonly SourceRow[];
};

export function codeOf({ source, plan, rows }: Coded, collection: Collection, withKey: boolean): Code {
  return { curl: commands(source.name, plan, withKey), typescript: program(plan, rows, collection, withKey) };
}

/** A bulk takes the file as it is if the names are those of the fields; `shelf import` renames. */
function commands(name: string, plan: Plan, withKey: boolean): string {
  if (plan.converts === true)
    return '# Decimal commas and semicolons are converted by the console: use the program, or change the file.';
  const { format, separator, columns } = plan.layout;
  const renamed = columns
    .map((column, place) => [column, plan.fields[place] ?? ''] as const)
    .filter(([column, field]) => column !== field && !refusedColumns.includes(column));
  const isPlain = renamed.length === 0 && separator !== ';' && separator !== '\t';
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const key = plan.key?.join();
  const path = `${bulkPath(plan.collection)}${key === undefined ? '' : `?key=${key}`}`;
  const request = { path, headers: { 'Content-Type': type } };
  const file = quoted(name === 'pasted text' ? `rows.${format === 'csv' ? 'csv' : 'ndjson'}` : name);
  const maps = renamed.map(([column, field]) => `--map ${quoted(`${column}=${field}`)}`);
  const keyed = key === undefined ? [] : ['--key', key];
  const shelf = [command('import'), file, '--collection', plan.collection, ...maps, ...keyed, '--url', location.origin];
  const batched = `# In batches that can be continued, with refused rows in a file:\n${shelf.join(' ')} --rejects refused.${format === 'csv' ? 'csv' : 'ndjson'}`;
  return isPlain ? `${curlOf(request, withKey)} --data-binary @${file}\n\n${batched}` : batched;
}

/** The first records, as the client takes them. */
function program(plan: Plan, rows: readonly SourceRow[], collection: Collection, withKey: boolean): string {
  const fields = new Map(targetsOf(collection).map(({ name, field }) => [name, field]));
  const records = rows
    .map(entryReader(plan, collection))
    .filter(({ problems }) => problems.length === 0)
    .slice(0, mostRecords)
    .map(({ values }) => {
      const literals = [...values].map(
        ([name, value]) => [name, literalOf(value, fields.get(name) ?? { type: '' })] as const,
      );
      return `  ${objectLiteral(literals)},`;
    });
  const counts = plan.key === undefined ? 'created' : 'created, updated';
  const body = [
    'const records = [',
    ...records,
    '  // and so on; an async generator can read the file',
    '];',
    `const { ${counts} } = await shelf.${collection.name}.createMany(records, {`,
    ...(plan.key === undefined ? [] : [`  key: [${plan.key.map((name) => `'${name}'`).join(', ')}],`]),
    "  idempotencyKey: 'my-import', // the same key continues an import that was broken off",
    `  onProgress: ({ ${counts} }) => console.log(${counts}),`,
    '});',
  ];
  return programOf(body.join('\n'), withKey);
}
