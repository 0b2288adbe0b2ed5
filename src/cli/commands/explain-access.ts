/** `shelf access --explain`: which rule allows or hides a record, and why. */
import { compileAccess } from '../../domain/access/compiled-access.ts';
import type { AccessDeclaration } from '../../domain/access/declaration.ts';
import { operations, rightsTable } from '../../domain/access/rights-table.ts';
import { bound, requestOf, variablesIn } from '../../domain/access/variables.ts';
import type { Caller, Claims } from '../../domain/caller.ts';
import { type Problem, StartError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/input/json.ts';
import { printable } from '../../domain/input/printable.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Plain } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { valuesOf } from '../../domain/record/record.ts';
import { matcher, type Values } from '../../domain/where/match.ts';
import { readWhere } from '../../domain/where/read-where.ts';
import { maxSteps } from '../../domain/where/where.ts';
import type { SourceDatabase } from '../../storage/transfer/contents.ts';

export type Question = {
  readonly access: AccessDeclaration;
  readonly role: string;
  readonly claims: Claims;
  readonly record: { readonly collection: string; readonly id: number };
  readonly collections: readonly Collection[];
  readonly now: number;
};

export async function explainAccess(source: SourceDatabase, question: Question): Promise<string> {
  const { access, role, claims, record, collections, now } = question;
  const named = `${record.collection}/${record.id}`;
  const collection = collections.find(({ name }) => name === record.collection);
  if (collection === undefined) {
    const known = collections.map(({ name }) => name).join(', ');
    throw new StartError(`Unknown collection ${JSON.stringify(record.collection)}; known collections: ${known}.`);
  }
  const found = await recordsFrom(source, collections, collection, record.id);
  const values = found.get(named);
  if (values === undefined) throw new StartError(`There is no record ${named} in the database.`);
  const caller: Caller = { id: '', name: '', scope: undefined, role, claims, collections: undefined };
  const targetOf = compileAccess(access, collections).bind(caller, now)?.targetOf;
  if (targetOf === undefined) throw new StartError(`There is no role ${JSON.stringify(role)}.`);
  const request = requestOf(caller, now);
  const { of, seen, target } = { of: collection, seen: values, target: targetOf };
  const lookUp = ({ name }: { readonly name: string }, id: number) => found.get(`${name}/${id}`);

  /** Why one member of a condition holds, or does not. */
  function judge(name: string, condition: Plain): { readonly holds: boolean; readonly text: string } {
    const part = { [name]: condition };
    const lacking = variablesIn(condition).filter((one) => bound(one, request) === undefined);
    const text = printable(plainJson(bound(part, request) ?? part));
    if (lacking.length > 0) return { holds: false, text: `${text} never holds without ${lacking.join(' and ')}` };
    const problems: Problem[] = [];
    const where = readWhere(of, parseJson(plainJson(bound(part, request))), target, problems);
    const [problem] = problems;
    if (problem !== undefined) return { holds: false, text: `${text} never holds: ${problem.message}` };
    const holds = matcher(of, where, lookUp)(seen);
    return { holds, text: `${text} ${holds ? 'holds' : 'does not hold'}` };
  }

  const rows = rightsTable(access, role, [collection]);
  let isReadable = false;
  const lines = operations
    .filter((operation) => operation !== 'create')
    .map((operation) => {
      const row = rows.find((one) => one.operation === operation);
      if (row === undefined) return `${operation}: no, the role has no rule for it`;
      const where = Object.entries((row.where ?? {}) as Readonly<Record<string, Plain>>);
      const judged = where.map(([name, condition]) => judge(name, condition));
      const isAllowed = judged.every(({ holds }) => holds) && (operation === 'read' || isReadable);
      if (operation === 'read') isReadable = isAllowed;
      const why = judged.length === 0 ? ['the rule is for all records'] : judged.map(({ text }) => text);
      if (operation !== 'read' && !isReadable) why.unshift('the record may not be read');
      return `${operation}: ${isAllowed ? 'yes' : 'no'}, ${why.join('; ')}`;
    });
  return `${named} for the role ${role}, by the rule access.${role} of ${collection.name}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** The record, and those that paths may lead to: the rules of the records on a path can have paths of their own, and none of them leads back. */
async function recordsFrom(
  source: SourceDatabase,
  collections: readonly Collection[],
  first: Collection,
  firstId: number,
): Promise<ReadonlyMap<string, Values>> {
  const found = new Map<string, Values>();
  let next: { readonly of: Collection; readonly id: number }[] = [{ of: first, id: firstId }];
  for (let step = 0; step <= maxSteps * collections.length && next.length > 0; step++) {
    const level = next;
    next = [];
    for (const { of, id } of level) {
      const key = `${of.name}/${id}`;
      const values = found.has(key) ? undefined : await recordIn(source, of, id);
      if (values === undefined) continue;
      found.set(key, values);
      for (const { field, to } of of.references) {
        const target = collections.find(({ name }) => name === to);
        const leads = values[field] ?? null;
        if (target !== undefined && leads !== null) next.push({ of: target, id: Number(leads) });
      }
    }
  }
  return found;
}

async function recordIn(source: SourceDatabase, { name }: Collection, id: number): Promise<Values | undefined> {
  const part = source.outline.parts.find(({ collection }) => collection.name === name);
  if (part === undefined) return undefined;
  for await (const [first] of source.records(part.collection, id - 1))
    return first?.recordId === id ? valuesOf(first) : undefined;
  return undefined;
}
