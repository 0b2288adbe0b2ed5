/** What paths in the rules of a role may lead through: the records and fields that the role may read. */

import { isObject } from '../../domain/input/json.ts';
import type { TargetOf } from '../../domain/where/field-path.ts';
import { filtersIn, type Where } from '../../domain/where/where.ts';
import { alwaysVisible, type Subject, type Subjects } from './subjects.ts';

export type Reader = { readonly role: string; readonly targetOf: TargetOf };

/** `rules` are those of the role by collection, as they stand in the file. */
export function readerOf(role: string, rules: ReadonlyMap<string, unknown>, subjects: Subjects): Reader {
  const visible = new Map<string, Subject>();
  for (const [name, subject] of subjects) {
    const fields = fieldsOf(rules.get(name));
    if (fields !== undefined) visible.set(name, visibleIn(subject, fields));
  }
  return {
    role,
    targetOf: (name) => visible.get(name) ?? { refused: `leads to ${name}, which the role may not read` },
  };
}

/** The fields that a rule shows; undefined if it shows no records. */
function fieldsOf(rule: unknown): 'all' | readonly unknown[] | undefined {
  const read = rule === 'read' || rule === 'write' || (isObject(rule) ? rule.read : undefined);
  if (read === true) return 'all';
  if (!isObject(read)) return undefined;
  return Array.isArray(read.fields) ? read.fields : 'all';
}

function visibleIn(subject: Subject, fields: 'all' | readonly unknown[]): Subject {
  if (fields === 'all') return subject;
  const isVisible = (key: string) => alwaysVisible.includes(key) || key === 'external_id' || fields.includes(key);
  return {
    ...subject,
    columns: new Map([...subject.columns].filter(([key]) => isVisible(key))),
    references: subject.references.filter(({ field }) => isVisible(field)),
    searched: subject.searched.filter(isVisible),
  };
}

/** The collections from which a rule for reading leads back to its own, in order; undefined if it does not. `leads` are the targets of paths, by collection. */
export function wayBack(from: string, leads: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const known = new Set<string>();
  const follow = (name: string, way: readonly string[]): readonly string[] | undefined => {
    for (const to of leads.get(name) ?? []) {
      if (to === from) return way;
      if (known.has(to)) continue;
      known.add(to);
      const found = follow(to, [...way, to]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return follow(from, []);
}

/** The collections that the paths of a condition lead to or through. */
export function leadsTo(where: Where): readonly string[] {
  return [...new Set(filtersIn(where).flatMap(({ via = [] }) => via.map(({ to }) => to.name)))];
}
