/** Finds the records that break the unique rules of a plan. */
import type { CollectionChange } from '../declarations/plan.ts';
import { rulesToCheck } from '../declarations/rules/new-rules.ts';
import { pathOfRule } from '../declarations/rules/unique-steps.ts';
import type { Violation } from '../declarations/step.ts';
import { type Collection, collection } from '../domain/record/collection.ts';
import { among, listed } from '../domain/record/rule-text.ts';
import { fieldsOfRule, type UniqueRule } from '../domain/record/unique-rules.ts';
import { matcher } from '../domain/where/match.ts';
import { bounded, type Equal, most, type PlanReader, shown } from './plan-reader.ts';
import { type Origins, originsOf, recordsAfter, tableOf } from './records-after.ts';

/** Lines for the first records that break each rule which is new, or has values that are converted. */
export async function uniqueViolations(change: CollectionChange, reader: PlanReader): Promise<Violation[]> {
  const after = collection(change.name, change.after);
  const lines: Violation[] = [];
  for (const rule of rulesToCheck(change, after.unique)) {
    const origins = originsOf(change, fieldsOfRule(rule));
    const isThere = [...origins.values()].every((origin) => origin?.isKept === true);
    const found = isThere
      ? await reader.equal(tableOf(change, origins), rule, most + 1)
      : await equalAfter(change, after, rule, origins, reader);
    lines.push(
      ...bounded(
        pathOfRule(after.name, rule),
        found.map((equal) => ({ recordIds: [equal[0], equal[1]], text: lineOf(after, rule, equal) })),
      ),
    );
  }
  return lines;
}

/** Compares the values that records will have: different ones can become equal, and a new field has its default. */
async function equalAfter(
  change: CollectionChange,
  after: Collection,
  rule: UniqueRule,
  origins: Origins,
  reader: PlanReader,
): Promise<readonly Equal[]> {
  const isFor = matcher(after, rule.where ?? []);
  const owners = new Map<string, string>();
  const found: Equal[] = [];
  for await (const records of recordsAfter(change, after, origins, reader)) {
    for (const [recordId, record] of records) {
      const own = rule.fields.map((field) => record[field] ?? null);
      if (own.includes(null) || !isFor(record)) continue;
      const text = JSON.stringify(own.map(String));
      const owner = owners.get(text);
      if (owner === undefined) owners.set(text, recordId);
      else found.push([owner, recordId, own]);
    }
    if (found.length > most) break;
  }
  return found;
}

function lineOf(after: Collection, rule: UniqueRule, [first, last, values]: Equal): string {
  const { fields, condition } = rule;
  const are = values.map((value, at) => shown(after.fields[fields[at] ?? ''], value));
  const [is, must] = fields.length === 1 ? ['is', 'it must be unique'] : ['are', 'they must be unique together'];
  return `${pathOfRule(after.name, rule)} of records ${first} and ${last} ${is} ${listed(are)}: ${must}${among(condition)}`;
}
