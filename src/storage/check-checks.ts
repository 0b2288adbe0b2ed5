/** Finds the records that break the rules which a plan has for each of them alone. */
import type { CollectionChange } from '../declarations/plan.ts';
import { pathOfCheck } from '../declarations/rules/check-steps.ts';
import { checksToCheck } from '../declarations/rules/new-rules.ts';
import type { Violation } from '../declarations/step.ts';
import type { CheckRule } from '../domain/record/check-rules.ts';
import { type Collection, collection } from '../domain/record/collection.ts';
import type { Row } from '../domain/record/row.ts';
import { listed, shortCondition } from '../domain/record/rule-text.ts';
import { matcher } from '../domain/where/match.ts';
import { bounded, most, type PlanReader, shown } from './plan-reader.ts';
import { originsOf, recordsAfter } from './records-after.ts';

/** Lines for the first records that break each rule which is new, or has values that are converted. */
export async function checkViolations(change: CollectionChange, reader: PlanReader): Promise<Violation[]> {
  const after = collection(change.name, change.after);
  const lines: Violation[] = [];
  for (const rule of checksToCheck(change, after.checks)) {
    const holds = matcher(after, rule.where);
    const broken: Omit<Violation, 'path'>[] = [];
    for await (const records of recordsAfter(change, after, originsOf(change, rule.fields), reader)) {
      for (const [recordId, record] of records)
        if (!holds(record)) broken.push({ recordIds: [recordId], text: lineOf(after, rule, recordId, record) });
      if (broken.length > most) break;
    }
    lines.push(...bounded(pathOfCheck(after.name, rule.condition), broken, `${after.name}: ${listed(rule.fields)}`));
  }
  return lines;
}

function lineOf(
  { name, fields }: Collection,
  { fields: keys, condition }: CheckRule,
  recordId: string,
  record: Row,
): string {
  const values = keys.map((key) => `${key} is ${shown(fields[key], record[key] ?? null)}`);
  return `${name}: record ${recordId} does not meet ${shortCondition(condition)}: ${listed(values)}`;
}
