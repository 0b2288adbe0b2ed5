/** One step from the stored declarations to the declared ones. */

/**
 * `none`: loses nothing, and servers with the earlier file go on. `check`: loses nothing if every record fits, which is
 * checked; servers with the earlier file must stop. `loss`: loses or converts values, and is done only if it is allowed.
 * `refused`: is never done.
 */
export type Risk = 'none' | 'check' | 'loss' | 'refused';

export type Step = {
  /** One line for the operator. */
  readonly text: string;
  readonly risk: Risk;
  /** How the operator allows it. */
  readonly allow?: string;
};
