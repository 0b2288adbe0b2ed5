/** What has to be done so that a database fits the declared collections. */
import type { CollectionDeclaration, Declarations, FieldDeclaration } from '../domain/record/declaration.ts';
import { addStep, fieldSteps, slowStep } from './field-steps.ts';
import { checkSteps, checksWithNames, keysOfChecks } from './rules/check-steps.ts';
import { searchSteps } from './rules/search-steps.ts';
import { keyOfRule, outlinesOf, uniqueSteps, withNames } from './rules/unique-steps.ts';
import { isAlike, isSame } from './same-declaration.ts';
import type { Step } from './step.ts';

/** A collection as the database knows it, and earlier declarations whose files still fit. */
export type StoredDeclaration = {
  readonly now: CollectionDeclaration;
  readonly earlier: readonly CollectionDeclaration[];
  /** Names that the collection had before. */
  readonly formerly?: readonly string[];
};
export type StoredDeclarations = Readonly<Record<string, StoredDeclaration>>;

/** What happens to one declared collection. */
export type CollectionChange = {
  readonly name: string;
  readonly after: CollectionDeclaration;
  /** Undefined for a new collection. */
  readonly before: { readonly name: string; readonly declaration: CollectionDeclaration } | undefined;
  /** The field of before that each field has its values from; absent for a new one. */
  readonly sources: ReadonlyMap<string, string>;
  /** Fields whose values have to be checked or converted. */
  readonly checked: readonly string[];
  readonly steps: readonly Step[];
  /** The file is an earlier one that still fits: the database stays as it is. */
  readonly isEarlier: boolean;
};

export function declarationsOf(
  collections: readonly { name: string; declaration: CollectionDeclaration }[],
): Declarations {
  return Object.fromEntries(collections.map(({ name, declaration }) => [name, declaration]));
}

export function planFor(stored: StoredDeclarations, declared: Declarations): CollectionChange[] {
  const renamed = new Map<string, string>();
  for (const [name, { was }] of Object.entries(declared)) {
    const isLeftover = stored[name] !== undefined || (was !== undefined && declared[was] !== undefined);
    if (was !== undefined && stored[was] !== undefined && !isLeftover) renamed.set(was, name);
  }
  const oldNames = new Map([...renamed].map(([was, name]) => [name, was]));
  return Object.entries(declared).map(([name, after]) => {
    const oldName = oldNames.get(name) ?? name;
    const known = stored[oldName];
    const wrong = wrongNameStep(name, after, stored, declared);
    const none = { name, after, before: undefined, sources: new Map(), checked: [], isEarlier: false };
    if (wrong !== undefined) return { ...none, steps: [wrong] };
    if (known !== undefined) return changeOf(name, oldName, withTargets(known, renamed), after);
    const slow = Object.entries(after.fields).flatMap(([key, field]) => slowStep(`${name}.${key}`, undefined, field));
    return { ...none, steps: [{ text: `${name}: create the collection`, risk: 'none' }, ...slow] };
  });
}

/** Where nobody can tell which records a collection is to have, nothing is done. */
function wrongNameStep(
  name: string,
  { was }: CollectionDeclaration,
  stored: StoredDeclarations,
  declared: Declarations,
): Step | undefined {
  const known = stored[name];
  const isDone = was === undefined || stored[was] === undefined || known?.formerly?.includes(was);
  if (!isDone && known !== undefined)
    return {
      text: `${name}: was ${was}, but the database has a ${name} that is another one; choose another name`,
      risk: 'refused',
    };
  if (!isDone && declared[was] !== undefined)
    return {
      text: `${name}: was ${was}, and ${was} is declared, too; rename in one step, and declare ${was} in the next`,
      risk: 'refused',
    };
  // A file from before a rename has the old name, and not the new one: its collection would be empty.
  const renamed = Object.entries(stored).find(([, { formerly = [] }]) => formerly.includes(name))?.[0];
  if (known !== undefined || renamed === undefined || renamed === was || declared[renamed] !== undefined)
    return undefined;
  return { text: `${name}: is called ${renamed} now; use the newer file, or declare ${renamed} too`, risk: 'refused' };
}

/** The collection as it was, with its fields by their names of now. */
export function byNewNames({
  after,
  before,
  sources,
}: Pick<CollectionChange, 'after' | 'before' | 'sources'>): CollectionDeclaration {
  const declaration = before?.declaration ?? after;
  const names = new Map([...sources].map(([key, source]) => [source, key]));
  const fields = Object.entries(declaration.fields).map(([key, field]) => [names.get(key) ?? key, field]);
  const unique = withNames(declaration, names);
  const check = checksWithNames(declaration, names);
  const search = declaration.search?.map((key) => names.get(key) ?? key);
  return { ...declaration, fields: Object.fromEntries(fields), indexes: [], unique, check, ...(search && { search }) };
}

/** References to a renamed collection are the same references. */
function withTargets(known: StoredDeclaration, renamed: ReadonlyMap<string, string>): StoredDeclaration {
  const follow = (declaration: CollectionDeclaration): CollectionDeclaration => ({
    ...declaration,
    fields: Object.fromEntries(
      Object.entries(declaration.fields).map(([key, field]) => {
        const to = field.to === undefined ? undefined : (renamed.get(field.to) ?? field.to);
        return [key, to === undefined ? field : { ...field, to }];
      }),
    ),
  });
  return { ...known, now: follow(known.now), earlier: known.earlier.map(follow) };
}

/** Collections that the database has, and that are not served by these names. */
export function unservedNames(stored: StoredDeclarations, served: readonly string[]): string[] {
  return Object.keys(stored).filter((name) => !served.includes(name));
}

/** The names that the collections have now, and those that they will have. */
export function servedNames(changes: readonly CollectionChange[]): string[] {
  return changes.flatMap(({ name, before }) => [name, ...(before === undefined ? [] : [before.name])]);
}

/** A field that is not served, and refers to a collection that is. */
export type UnservedReference = { readonly collection: string; readonly field: string; readonly to: string };

/** What must not lose the record that it refers to, though it is not served: a collection, or a field of one that is. */
export function unservedReferences(stored: StoredDeclarations, served: Declarations): UnservedReference[] {
  return Object.entries(stored).flatMap(([collection, { now }]) =>
    Object.entries(now.fields).flatMap(([field, { to }]) => {
      const isServed = served[collection]?.fields[field] !== undefined;
      return to === undefined || isServed || served[to] === undefined ? [] : [{ collection, field, to }];
    }),
  );
}

/** The stored declarations once the changes are made: the same object if nothing is new. */
export function storedAfter(stored: StoredDeclarations, changes: readonly CollectionChange[]): StoredDeclarations {
  const made = changes.filter(
    ({ name, before, after, isEarlier }) => !isEarlier && (before?.name !== name || !isSame(before.declaration, after)),
  );
  if (made.length === 0) return stored;
  const renamed = new Map(
    made.flatMap(({ name, before }) => (before === undefined || before.name === name ? [] : [[before.name, name]])),
  );
  const next: Record<string, StoredDeclaration> = Object.fromEntries(
    Object.entries(stored).map(([name, known]) => [name, withTargets(known, renamed)]),
  );
  for (const { name, after, before, steps } of made) {
    const former = before === undefined ? undefined : stored[before.name];
    const known = former === undefined ? undefined : withTargets(former, renamed);
    if (before !== undefined && before.name !== name) delete next[before.name];
    const stays = steps.every(({ risk }) => risk === 'none');
    const earlier = known === undefined || !stays ? [] : earlierOf(known, after);
    // It may have its present name for the second time.
    const formerly = [...new Set([...(known?.formerly ?? []), before?.name ?? name])].filter((one) => one !== name);
    next[name] = { now: after, earlier: earlier.slice(-maxEarlier), ...(formerly.length === 0 ? {} : { formerly }) };
  }
  return next;
}

const maxEarlier = 20;

function earlierOf({ now, earlier }: StoredDeclaration, after: CollectionDeclaration) {
  return isAlike(now, after) ? earlier : [...earlier, now];
}

function changeOf(
  name: string,
  oldName: string,
  { now, earlier }: StoredDeclaration,
  after: CollectionDeclaration,
): CollectionChange {
  const before = { name: oldName, declaration: now };
  if (name === oldName && isSame(now, after))
    return { name, after, before, sources: new Map(), checked: [], steps: [], isEarlier: false };
  const isEarlier =
    name === oldName && !isAlike(after, now) && earlier.some((one) => isAlike(one, after)) && !hasMoreRules(after, now);
  if (isEarlier) return { name, after, before, sources: new Map(), checked: [], steps: [], isEarlier };

  const steps: Step[] = [];
  if (name !== oldName) steps.push({ text: `${name}: rename the collection ${oldName}`, risk: 'check' });
  if (now.singular !== after.singular)
    steps.push({
      text: `${name}: name one record ${after.singular}; recorded changes keep ${now.singular}`,
      risk: 'none',
    });
  steps.push(...contractSteps(name, now, after));
  const sources = sourcesOf(now.fields, after.fields);
  const checked: string[] = [];
  for (const [key, field] of Object.entries(after.fields)) {
    const source = sources.get(key);
    const path = `${name}.${key}`;
    const old = source === undefined ? undefined : now.fields[source];
    if (old === undefined) {
      steps.push(addStep(path, field), ...slowStep(path, undefined, field));
      continue;
    }
    if (source !== key) steps.push({ text: `${path}: rename the field ${source}`, risk: 'check' });
    const found = fieldSteps(path, source ?? key, old, field);
    steps.push(...found.steps);
    if (found.isChecked) checked.push(key);
  }
  const kept = new Set(sources.values());
  const renamed = byNewNames({ after, before, sources });
  for (const key of Object.keys(now.fields)) {
    if (!kept.has(key))
      steps.push({
        text: `${name}.${key}: remove the field, with its values`,
        risk: 'loss',
        allow: `drop:${name}.${key}`,
        touches: { withField: key },
      });
  }
  return {
    name,
    after,
    before,
    sources,
    checked,
    steps: [
      ...steps,
      ...uniqueSteps(name, renamed, after),
      ...checkSteps(name, renamed, after),
      ...searchSteps(name, renamed, after),
      ...indexSteps(name, now, after),
    ],
    isEarlier: false,
  };
}

/** Records that were stored since may break a rule that was removed. */
function hasMoreRules(after: CollectionDeclaration, now: CollectionDeclaration): boolean {
  const had = new Set([...outlinesOf(now).map(keyOfRule), ...keysOfChecks(now)]);
  return [...outlinesOf(after).map(keyOfRule), ...keysOfChecks(after)].some((rule) => !had.has(rule));
}

/** By the same name, or by the name that it had. A leftover `was` is ignored. */
function sourcesOf(before: Fields, after: Fields): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const [key, { was }] of Object.entries(after)) {
    if (Object.hasOwn(before, key)) sources.set(key, key);
    else if (was !== undefined && Object.hasOwn(before, was)) sources.set(key, was);
  }
  return sources;
}
type Fields = Readonly<Record<string, FieldDeclaration>>;

function contractSteps(name: string, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const [had, has] = [before, after].map(({ contract }) => Boolean(contract));
  if (had === has) return [];
  if (has) return [{ text: `${name}: add external_id; records get their id`, risk: 'check', touches: {} }];
  return [
    {
      text: `${name}: remove external_id, with its values`,
      risk: 'loss',
      allow: `drop:${name}.external_id`,
      touches: {},
    },
  ];
}

function indexSteps(name: string, before: CollectionDeclaration, after: CollectionDeclaration): Step[] {
  const named = ({ indexes = [] }: CollectionDeclaration) => new Set(indexes.map((one) => [one].flat().join(', ')));
  const [old, now] = [named(before), named(after)];
  return [
    ...[...now]
      .filter((one) => !old.has(one))
      .map((one): Step => ({ text: `${name}: add the index on ${one}`, risk: 'none' })),
    ...[...old]
      .filter((one) => !now.has(one))
      .map((one): Step => ({ text: `${name}: remove the index on ${one}`, risk: 'none' })),
  ];
}
