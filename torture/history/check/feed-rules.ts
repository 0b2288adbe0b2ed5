/** Checks the feed by itself: gaps, repeats and lost updates show in the sequence numbers and versions. */
import { type Change, describeChange } from './change.ts';
import { apply, nothing, recordIn } from './state.ts';

export function judgeFeed(changes: readonly Change[]): string[] {
  const complaints: string[] = [];
  const lastId = { items: 0, users: 0 };
  let state = nothing;
  let changeNumber = 0;
  for (const change of changes) {
    const complain = (what: string) => complaints.push(`feed: ${describeChange(change)} ${what}`);
    const before = recordIn(state, change.collection, change.id);
    if (change.changeNumber <= changeNumber) complain(`comes after change ${changeNumber}`);
    if (change.type === 'created') {
      if (change.id <= lastId[change.collection]) complain(`has an id not above ${lastId[change.collection]}`);
      if (change.version < 1) complain('has no version');
    } else if (before === undefined) {
      complain('is for a record that does not exist: a change is missing, or happened twice');
    } else if (change.type === 'updated' && change.version <= before.version) {
      complain(`follows version ${before.version}`);
    } else if (change.type === 'updated' && change.version > before.version + 1) {
      complain(`follows version ${before.version}: a change is missing`);
    } else if (change.type === 'deleted' && change.record !== before.record) {
      complain(`does not carry the last record, ${describeChange(before)}: a change is missing`);
    }
    if (change.type === 'created') lastId[change.collection] = Math.max(lastId[change.collection], change.id);
    changeNumber = Math.max(changeNumber, change.changeNumber);
    state = apply(state, change);
  }
  return complaints;
}
