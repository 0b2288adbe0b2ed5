/** The JSON of a change, in both feeds. */
import { visibleStored } from '../../domain/access/visible-json.ts';
import type { Change } from '../../domain/feed/change.ts';
import type { Shown } from '../../domain/feed/selection.ts';
import { recordedMembers } from '../../domain/record/record.ts';
import { membersOf, objectOf } from '../../exact/json-text.ts';

export function encodeChange(change: Change, { match, part }: Shown = {}): string {
  const matched = match === undefined ? '' : `"match":"${match}",`;
  if (part !== undefined) return encodePart(change, part, matched);
  const { changeNumber, type, at, by, traceId, transaction, collection, singular, record, before } = change;
  const caller = by === undefined ? 'null' : JSON.stringify(by);
  const traced = traceId === undefined ? '' : `"trace_id":${JSON.stringify(traceId)},`;
  const whole =
    transaction === undefined ? '' : `"transaction":{"first":${transaction.first},"size":${transaction.size}},`;
  const changed = before === undefined ? '' : `,"before":{${recordedMembers(before)}}`;
  return `{"seq":${changeNumber},"type":"${singular}.${type}","at":"${at}","by":${caller},${traced}${whole}${matched}"record":${collection.record.encodeRecorded(record)}${changed}}`;
}

/** Without its author, its trace and its transaction, which can be those of hidden records. */
function encodePart(change: Change, { type, sight }: NonNullable<Shown['part']>, matched: string): string {
  const { changeNumber, at, singular, record, before } = change;
  const head = `{"seq":${changeNumber},"type":"${singular}.${type}","at":"${at}","by":null,${matched}"record":`;
  if (type === 'deleted') return `${head}{"id":${record.recordId}}}`;
  const { seen } = sight;
  const visible = seen.record.encodeRecorded({ ...record, json: visibleStored(seen, record.json) });
  if (type === 'created' || before === undefined) return `${head}${visible}}`;
  return `${head}${visible},"before":{${recordedMembers(visibleBefore(seen.fields, before))}}}`;
}

function visibleBefore(fields: Readonly<Record<string, unknown>>, before: string): string {
  const always = ['version', 'updated_at'];
  return objectOf([...membersOf(before)].filter(([key]) => Object.hasOwn(fields, key) || always.includes(key)));
}
