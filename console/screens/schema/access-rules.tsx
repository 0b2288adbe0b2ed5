/** What each role of the file may do with the records of a collection. */
import { type JsonText, kindOf, membersOf } from '../../../src/exact/json-text.ts';
import { unquoted } from '../../api/json.ts';
import { edit } from '../../schema/draft.ts';
import { setCollectionMember } from '../../schema/file/collection-edits.ts';
import { removeMember, setMember } from '../../schema/file/edits.ts';
import { inlined } from '../../schema/file/inline-json.ts';
import { MistakeList } from '../../schema/mistake-list.tsx';
import type { Mistakes } from '../../schema/mistakes.ts';
import { JsonInput } from './json-input.tsx';

export type AccessRulesProps = {
  readonly collection: string;
  /** Of the file. */
  readonly roles: readonly string[];
  readonly json: JsonText | undefined;
  readonly mistakes: Mistakes;
};

const kinds = [
  ['', 'nothing'],
  ['read', 'read'],
  ['write', 'write'],
  ['rule', 'by a rule'],
] as const;

export function AccessRules({ collection, roles, json, mistakes }: AccessRulesProps) {
  const rules = membersOf(json ?? '{}');
  const all = [...new Set([...roles, ...rules.keys()])];
  if (all.length === 0) return null;
  const path = ['collections', collection, 'access'];
  function set(role: string, rule: JsonText | undefined): void {
    edit((text) => {
      if (rule !== undefined) return setMember(text, [...path, role], inlined(rule));
      return rules.size === 1 && rules.has(role)
        ? setCollectionMember(text, collection, 'access', undefined)
        : removeMember(text, [...path, role]);
    });
  }
  return (
    <fieldset class="schema-rule-list">
      <legend>Access of roles</legend>
      <p class="soft">
        What a caller with the role may do: nothing, read or write every record, or what a rule says, with read, create,
        update and delete.
      </p>
      <MistakeList mistakes={mistakes.at(...path)} />
      {all.map((role) => {
        const rule = rules.get(role);
        const kind = rule === undefined ? '' : kindOf(rule) === 'object' ? 'rule' : unquoted(rule);
        const label = `Access of ${role} to ${collection}`;
        return (
          <div key={role} class="schema-rule access">
            <label for={`schema-${collection}-access-${role}`}>{role}</label>
            <select
              id={`schema-${collection}-access-${role}`}
              class="input"
              aria-label={label}
              value={kind}
              onChange={({ currentTarget: { value } }) =>
                set(role, value === '' ? undefined : value === 'rule' ? '{"read":true}' : JSON.stringify(value))
              }
            >
              {kinds.map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
            {kind === 'rule' ? (
              <JsonInput label={`Rule: ${label}`} value={rule} onChange={(next) => set(role, next ?? '{}')} />
            ) : null}
            <MistakeList mistakes={mistakes.in([...path, role])} />
          </div>
        );
      })}
    </fieldset>
  );
}
