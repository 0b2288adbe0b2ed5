/** The JSON of a change, in both feeds. */
import type { Change } from '../../domain/feed/change.ts';
import type { Match } from '../../domain/feed/change-filter.ts';
import { recordedMembers } from '../../domain/record/record.ts';

/** `match` is what the change does to the list of a follower with a filter. */
export function encodeChange(change: Change, match?: Match): string {
  const { changeNumber, type, at, by, transaction, collection, singular, record, before } = change;
  const caller = by === undefined ? 'null' : JSON.stringify(by);
  const whole =
    transaction === undefined ? '' : `"transaction":{"first":${transaction.first},"size":${transaction.size}},`;
  const matched = match === undefined ? '' : `"match":"${match}",`;
  const changed = before === undefined ? '' : `,"before":{${recordedMembers(before)}}`;
  return `{"seq":${changeNumber},"type":"${singular}.${type}","at":"${at}","by":${caller},${whole}${matched}"record":${collection.record.encodeRecorded(record)}${changed}}`;
}
