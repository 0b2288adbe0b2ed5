/** Why a write is refused because of what is stored: other records, or the rest of the same one. */
import { Failure, type FailureCode, invalidBody, type Problem, StartError } from '../errors.ts';
import { brokenProblems, type CheckRule } from '../record/check-rules.ts';
import type { Collection } from '../record/collection.ts';
import { among, listed, ruleText } from '../record/rule-text.ts';

export type Clash =
  | Broken
  /**
   * Another record has the values of these fields, which are unique, under the condition `where`, if any; `isNew` if `by` is its place in the same
   * bulk, or the operation of the same transaction that creates it.
   */
  | {
      readonly taken: readonly string[];
      readonly where?: string;
      readonly by: number;
      readonly isNew?: true | 'by operation';
    }
  /** There is no record that the field refers to. */
  | { readonly missing: string; readonly to: string; readonly id: string }
  /** No record has the key, so one would be created, and this field is required. */
  | { readonly lacking: string; readonly key: readonly string[] }
  /** Records of this collection refer to the one to be deleted. */
  | { readonly referencedBy: string; readonly field: string; readonly count: number; readonly first: number }
  /** The deletion would delete or change too many records. */
  | { readonly tooMany: number }
  /** The deletion would set a field of a record of this collection to null, which clashes. */
  | { readonly clears: string; readonly record: number; readonly field: string; readonly because: Clash }
  /** The deletion would change this collection, which the caller may not write. */
  | { readonly forbidden: string };

/** The record breaks a rule that it has to meet by itself: only such clashes are reported then. `singular` names the record. */
export type Broken = { readonly broken: readonly string[]; readonly message: string; readonly singular: string };

export function brokenBy({ fields, message }: CheckRule, { singular }: Pick<Collection, 'singular'>): Broken {
  return { broken: fields, message, singular };
}

/** The most records that one deletion deletes or changes. */
export const maxCascade = 10_000;

/** Why the first record of a collection cannot be added. */
export function firstRecordError(name: string, clashes: readonly Clash[]): StartError {
  const { detail } = clashFailure(clashes);
  return new StartError(`The first record of ${name} cannot be added: ${detail} Correct "first" in the file.`);
}

/** The failure of a write with these clashes, at least one. */
export function clashFailure(clashes: readonly Clash[]): Failure {
  const [first] = clashes;
  if (first === undefined) throw new Error('there is no clash');
  const code = codeOf(first);
  const problems = clashes.flatMap(problemsOf);
  if ('broken' in first) return invalidBody(first.singular, problems);
  const details = clashes.map(detailOf);
  return new Failure(code, {
    detail: `${details.join('; ')}.`,
    ...(problems.length === 0 ? {} : { problems }),
    members: membersOf(first),
  });
}

/** The clashes of a record of a bulk, by its place among all records, counted from 1. */
export type Placed = readonly [place: number, clashes: readonly Clash[]];

/** The place of a record by its number, which the bulk gave it before it was undone; undefined if it is not one of these. Counted from 1. */
export type PlaceOfNew = (recordId: number) => number | undefined;

/** `placeOf` is the place among all records of one among those that were to be added. */
export function bulkClashFailure(
  found: readonly Placed[],
  placeOfNew: PlaceOfNew,
  placeOf: (place: number) => number = (place) => place,
): Failure {
  const all = found.map(([place, clashes]) => ({
    line: placeOf(place),
    clashes: clashes.map((clash) => inBulk(clash, placeOfNew, placeOf)),
  }));
  const [{ clashes } = { clashes: [] }] = all;
  const { code, detail, members } = clashFailure(clashes);
  const problems = all.flatMap((one) =>
    one.clashes.flatMap((clash) => problemsOf(clash).map((problem) => ({ ...problem, line: one.line }))),
  );
  return new Failure(code, { detail, problems, ...(members === undefined ? {} : { members }) });
}

/** A record of the same bulk has no number any more, but a place. */
function inBulk(clash: Clash, placeOfNew: PlaceOfNew, placeOf: (place: number) => number): Clash {
  const place = 'taken' in clash ? placeOfNew(clash.by) : undefined;
  return place === undefined ? clash : { ...clash, by: placeOf(place), isNew: true };
}

function holder({ by, isNew }: { readonly by: number; readonly isNew?: true | 'by operation' }): string {
  if (isNew === 'by operation') return `the record of operation ${by}`;
  return isNew ? `an earlier record of the body (number ${by})` : `record ${by}`;
}

function codeOf(clash: Clash): FailureCode {
  // A deletion has no body.
  if ('clears' in clash) return 'broken' in clash.because ? 'still_referenced' : codeOf(clash.because);
  if ('broken' in clash) return 'invalid_body';
  if ('taken' in clash) return 'already_exists';
  if ('missing' in clash) return 'reference_missing';
  if ('lacking' in clash) return 'invalid_body';
  return 'forbidden' in clash ? 'forbidden' : 'still_referenced';
}

function detailOf(clash: Clash): string {
  if ('clears' in clash)
    return `Deleting this record would set ${clash.field} of record ${clash.record} of ${clash.clears} to null: ${detailOf(clash.because)}`;
  if ('broken' in clash) return clash.broken.map((field) => `${field} ${clash.message}`).join('; ');
  if ('taken' in clash)
    return `${ruleText(clash.taken, clash.where)}, and ${holder(clash)} has ${valuesOf(clash.taken)}`;
  if ('missing' in clash) return `${clash.missing} refers to record ${clash.id} of ${clash.to}, which does not exist`;
  if ('lacking' in clash) return `${clash.lacking} ${isRequired(clash)}`;
  if ('tooMany' in clash) return `More than ${clash.tooMany} records depend on this one: delete some of them first`;
  if ('forbidden' in clash) return `Deleting this record would change ${clash.forbidden}, which this key may not write`;
  const { count, referencedBy, field, first } = clash;
  const records = count === 1 ? `1 record of ${referencedBy} refers` : `${count} records of ${referencedBy} refer`;
  return `${records} to it by ${field}, the first is ${first}: delete or change ${count === 1 ? 'it' : 'them'} first`;
}

/** One for each field, so that each is shown where it was sent. */
function problemsOf(clash: Clash): Problem[] {
  if ('broken' in clash) return brokenProblems({ fields: clash.broken, message: clash.message });
  if ('taken' in clash) {
    const { taken, where, by, isNew } = clash;
    return taken.map((field) => {
      const others = taken.filter((other) => other !== field);
      const together = others.length === 0 ? '' : ` together with ${listed(others)}`;
      const message = `must be unique${together}${among(where)}; ${holder(clash)} has ${valuesOf(taken)}`;
      return isNew === true ? { field, message, earlierRecord: by } : { field, message };
    });
  }
  if ('lacking' in clash) return [{ field: clash.lacking, message: isRequired(clash) }];
  if ('missing' in clash)
    return [{ field: clash.missing, message: `refers to record ${clash.id} of ${clash.to}, which does not exist` }];
  return [];
}

function isRequired({ key }: { readonly key: readonly string[] }): string {
  return `is required, because no record has this ${listed(key)}: it would be created`;
}

const valuesOf = (fields: readonly string[]) => (fields.length === 1 ? 'this value' : 'these values');

function membersOf(clash: Clash): Readonly<Record<string, string | number>> {
  if ('clears' in clash) {
    const { clears, record, because } = clash;
    return { collection: clears, ...('broken' in because ? { first_id: record } : membersOf(because)) };
  }
  if ('taken' in clash) return clash.isNew ? {} : { id: clash.by };
  if ('referencedBy' in clash) return { collection: clash.referencedBy, count: clash.count, first_id: clash.first };
  if ('forbidden' in clash) return { collection: clash.forbidden };
  return {};
}
