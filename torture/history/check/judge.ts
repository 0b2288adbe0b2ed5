/** All checks of a history. Every complaint names the operations or changes that it is about. */

import type { Operation } from '../clients/operation.ts';
import type { Change } from './change.ts';
import { type Delivery, judgeDelivery } from './deliveries.ts';
import { judgeEffects } from './effects.ts';
import { judgeFeed } from './feed-rules.ts';
import { judgeOrder } from './order.ts';
import { judgeRecords } from './records.ts';

export type History = {
  readonly operations: readonly Operation[];
  /** The whole feed, read after all clients have stopped: the order that every answer must agree with. */
  readonly changes: readonly Change[];
  readonly deliveries: readonly Delivery[];
};

export function judge({ operations, changes, deliveries }: History): string[] {
  const { placements, complaints } = judgeEffects(operations, changes);
  return [
    ...judgeFeed(changes),
    ...complaints,
    ...judgeOrder(operations, changes, placements),
    ...judgeRecords(operations),
    ...deliveries.flatMap((delivery) => judgeDelivery(delivery, changes)),
  ];
}
