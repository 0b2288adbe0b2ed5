/** Why a standby cannot serve a read, which the primary then serves. */
import { isConnectionError, isMissing, messageOf, sqlState, Unanswered } from './errors.ts';

export class NotServed extends Error {
  override readonly name = 'NotServed';

  /** `reason` is undefined if the standby can serve other reads. */
  constructor(readonly reason: string | undefined) {
    super(reason);
  }
}

/** The standby replicates another primary. */
export class OtherCluster extends NotServed {
  constructor() {
    super('it belongs to another database cluster');
  }
}

/** Any error of a standby: for example, a read may be cancelled because it conflicts with what the primary has deleted. */
export function notServed(error: unknown): NotServed {
  if (error instanceof NotServed) return error;
  if (isMissing(error)) return new NotServed('it lacks the tables of this version');
  // A long read may exceed its deadline on any server.
  if (error instanceof Unanswered) return new NotServed(undefined);
  const isDown = isConnectionError(error) || /^(08|53|57P|28|3D)/.test(sqlState(error) ?? '');
  return new NotServed(isDown ? `it does not answer (${messageOf(error)})` : undefined);
}
