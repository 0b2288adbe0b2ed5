/** Indexes and rules of a collection, in words. */
import { elementsOf, type JsonText, kindOf, membersOf } from '../../../src/exact/json-text.ts';
import { unquoted } from '../../api/json.ts';
import { inlined } from '../../schema/file/inline-json.ts';

export function ruleWords(members: ReadonlyMap<string, JsonText>): (readonly [term: string, words: string[]])[] {
  const each = (member: string) => elementsOf(members.get(member) ?? '[]');
  const all = [
    [
      'Title',
      ['title', 'description'].flatMap((name) => (members.has(name) ? [unquoted(members.get(name) ?? '')] : [])),
    ],
    ['Indexes', each('indexes').map(namesIn)],
    ['Unique together', each('unique').map(uniqueWords)],
    ['Checks', each('check').map(checkWords)],
    ['Shown as', members.has('shown_as') ? [unquoted(members.get('shown_as') ?? '')] : []],
    ['Words searched', each('search').map(unquoted)],
    ['Access of roles', [...membersOf(members.get('access') ?? '{}')].map(accessWords)],
    ['First record', members.has('first') ? [inlined(members.get('first') ?? '')] : []],
    ['Contract', members.get('contract') === 'true' ? ['has the routes of the contract'] : []],
  ] as const;
  return all.filter(([, words]) => words.length > 0).map(([term, words]) => [term, [...words]]);
}

/** A field, or several. */
export function namesIn(json: JsonText): string {
  return kindOf(json) === 'array' ? elementsOf(json).map(unquoted).join(', ') : unquoted(json);
}

function uniqueWords(rule: JsonText): string {
  if (kindOf(rule) === 'array') return namesIn(rule);
  const { fields, where } = Object.fromEntries(membersOf(rule));
  return `${namesIn(fields ?? '[]')}${where === undefined ? '' : ` where ${inlined(where)}`}`;
}

function accessWords([role, rule]: readonly [string, JsonText]): string {
  if (kindOf(rule) !== 'object') return `${role}: ${unquoted(rule)}`;
  return `${role}: ${[...membersOf(rule).keys()].join(', ')} by a rule`;
}

function checkWords(rule: JsonText): string {
  const { where = '', message = '""' } = Object.fromEntries(membersOf(rule));
  return `${inlined(where)}, or else it “${unquoted(message)}”`;
}
