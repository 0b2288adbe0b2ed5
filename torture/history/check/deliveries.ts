/** Checks that a follower received every change after its start once and in order, and no resync. */

import type { CollectionName } from '../clients/operation.ts';
import { positionOf } from './answer.ts';
import type { Change } from './change.ts';

export type Delivery = {
  readonly follower: string;
  /** It started after this change. */
  readonly after: number;
  /** Undefined if it follows all. */
  readonly collection?: CollectionName;
  /** The digests of the changes, in the order received. */
  readonly received: readonly string[];
  readonly resyncs: number;
};

export function judgeDelivery(delivery: Delivery, feed: readonly Change[]): string[] {
  const { follower, after, collection, received, resyncs } = delivery;
  const changes = collection === undefined ? feed : feed.filter((change) => change.collection === collection);
  const complaints: string[] = [];
  if (resyncs > 0) complaints.push(`follower: ${follower} received ${resyncs} resyncs`);
  const start = positionOf(changes, after);
  const places = new Map(changes.map(({ digest }, index) => [digest, index]));
  let expected = start;
  for (const [index, digest] of received.entries()) {
    const change = changes[expected];
    if (digest === change?.digest) {
      expected++;
      continue;
    }
    const place = places.get(digest);
    const [changeNumber] = digest.split(' ');
    if (place === undefined)
      complaints.push(`follower: ${follower} received a change ${changeNumber} that the feed does not have`);
    else if (place < expected)
      complaints.push(`follower: ${follower} received change ${changeNumber} again, as number ${index + 1}`);
    else {
      const gap = changes.slice(expected, place).map((missed) => missed.changeNumber);
      complaints.push(
        `follower: ${follower} received change ${changeNumber} without ${gap.slice(0, 5).join(', ')}: a gap`,
      );
      expected = place + 1;
    }
  }
  if (expected < changes.length)
    complaints.push(
      `follower: ${follower} did not receive the last ${changes.length - expected} of ${changes.length} changes`,
    );
  return complaints;
}
