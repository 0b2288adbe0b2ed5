/** Why a standby cannot serve a read, which the primary then serves. */
import { isConnectionError, isMissing, messageOf, sqlState, Unanswered } from '../connect/errors.ts';

export class UnservedRead extends Error {
  override readonly name = 'UnservedRead';

  /** `reason` is undefined if the standby can serve other reads. */
  constructor(readonly reason: string | undefined) {
    super(reason);
  }
}

/** The standby replicates another primary. */
export class OtherCluster extends UnservedRead {
  constructor() {
    super('it belongs to another database cluster');
  }
}

/** Any error of a standby: for example, a read may be cancelled because it conflicts with what the primary has deleted. */
export function unservedRead(error: unknown): UnservedRead {
  if (error instanceof UnservedRead) return error;
  if (isMissing(error)) return new UnservedRead('it lacks the tables of this version');
  // A long read may exceed its deadline on any server.
  if (error instanceof Unanswered) return new UnservedRead(undefined);
  const isDown = isConnectionError(error) || /^(08|53|57P|28|3D)/.test(sqlState(error) ?? '');
  return new UnservedRead(isDown ? `it does not answer (${messageOf(error)})` : undefined);
}
