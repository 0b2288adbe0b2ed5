/** Records as JSON, with the visible fields alone. */
import { type JsonText, membersOf, objectOf } from '../../exact/json-text.ts';
import type { Collection } from '../record/collection.ts';
import type { Recorded } from '../record/record.ts';
import type { View } from './view.ts';

/** A record as the production API returns it. */
export function visibleRecord({ columns }: Collection, json: JsonText): JsonText {
  return objectOf([...membersOf(json)].filter(([key]) => columns.has(key)));
}

/** A record as the contract returns it, and as it is stored. */
export function visibleStored({ fields }: Collection, json: JsonText): JsonText {
  return objectOf([...membersOf(json)].filter(([key]) => Object.hasOwn(fields, key)));
}

export function visibleRecorded({ sight }: View, recorded: Recorded): Recorded {
  if (sight === undefined || sight.isWhole) return recorded;
  return { ...recorded, json: visibleStored(sight.seen, recorded.json) };
}
