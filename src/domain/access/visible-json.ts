/** Records as JSON, with the visible fields alone. */
import { type JsonText, membersOf, objectOf } from '../../exact/json-text.ts';
import type { Collection } from '../record/collection.ts';
import type { Recorded } from '../record/record.ts';
import type { View } from './view.ts';

/** A record as the production API returns it. */
export function visibleRecord({ columns }: Collection, json: JsonText): JsonText {
  return objectOf([...membersOf(json)].filter(([key]) => columns.has(key)));
}

type Conceal = (records: JsonText) => JsonText;
const concealers = new WeakMap<Collection, { readonly conceal: Conceal | undefined }>();

/**
 * Takes the hidden members out of encoded records, one or several, without reading their values: members are always in the same order, and a quote within a
 * text is escaped. Undefined where a value can have members of its own.
 */
export function concealerOf(stored: Collection, seen: Collection): Conceal | undefined {
  const known = concealers.get(seen) ?? { conceal: newConcealer(stored, seen) };
  concealers.set(seen, known);
  return known.conceal;
}

function newConcealer({ columns }: Collection, seen: Collection): Conceal | undefined {
  if ([...columns.values()].some(({ field }) => field.takesText && field.filter.elements === undefined))
    return undefined;
  const names = [...columns.keys()];
  const isHidden = (name: string | undefined) => name !== undefined && !seen.columns.has(name);
  const startOf = (name: string) => `,"${name}":`;
  /** Hidden members that follow each other, up to the next visible one. */
  const runs = names.flatMap((name, at) => {
    if (!isHidden(name) || isHidden(names[at - 1])) return [];
    const next = names.slice(at).find((one) => !isHidden(one));
    return [{ start: startOf(name), end: startOf(next ?? '') }];
  });
  const hidden = names.filter(isHidden).map(startOf);

  function visible(records: JsonText): JsonText {
    if (runs.length === 0) return records;
    let kept = '';
    for (let from = 0; ; ) {
      for (const { start, end } of runs) {
        const cut = records.indexOf(start, from);
        if (cut < 0) return kept + records.slice(from);
        kept += records.slice(from, cut);
        from = records.indexOf(end, cut);
        if (from < 0) throw new Error('a record ends with a hidden member');
      }
    }
  }

  return (records) => {
    const shown = visible(records);
    if (hidden.some((start) => shown.includes(start))) throw new Error('a hidden member is left');
    return shown;
  };
}

/** A record as the contract returns it, and as it is stored. */
export function visibleStored({ fields }: Collection, json: JsonText): JsonText {
  return objectOf([...membersOf(json)].filter(([key]) => Object.hasOwn(fields, key)));
}

export function visibleRecorded({ sight }: View, recorded: Recorded): Recorded {
  if (sight === undefined || sight.isWhole) return recorded;
  return { ...recorded, json: visibleStored(sight.seen, recorded.json) };
}
