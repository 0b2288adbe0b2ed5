/** What the form is about to do, as code: show the record, change the fields that differ, or add it. */
import type { JsonText } from '../../../src/exact/json-text.ts';
import { createRequest, recordPath, updateRequest } from '../../api/records.ts';
import type { Code } from '../../code/as-code.tsx';
import { curlOf } from '../../code/curl.ts';
import { literalOf, objectLiteral, programOf } from '../../code/typescript.ts';
import type { Draft } from './draft.ts';

export function codeOf(draft: Draft, withKey: boolean): Code {
  const { collection, changes, columns } = draft;
  const { name } = collection;
  const row = draft.base.value;
  const literals = [...changes].map(([field, value]: [string, JsonText]) => {
    const declared = columns.find((column) => column.name === field)?.field ?? { type: 'text' };
    return [field, literalOf(value, declared)] as const;
  });
  if (row === undefined)
    return {
      curl: curlOf(createRequest(name, changes), withKey),
      typescript: programOf(
        `const record = await shelf.${name}.create(${objectLiteral(literals)});\nconsole.log(record.id);`,
        withKey,
      ),
    };
  const get = `const record = await shelf.${name}.get(${row.id});`;
  if (changes.size === 0)
    return {
      curl: curlOf({ path: recordPath(name, row.id) }, withKey),
      typescript: programOf(`${get}\nconsole.log(record);`, withKey),
    };
  const seen = `{ id: ${row.id}, version: ${row.version} }`;
  return {
    curl: curlOf(updateRequest(name, row, changes), withKey),
    typescript: programOf(
      `// Fails with precondition_failed if the record has another version by now.\nawait shelf.${name}.update(${seen}, ${objectLiteral(literals)});`,
      withKey,
    ),
  };
}
