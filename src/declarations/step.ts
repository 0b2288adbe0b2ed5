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
  /** The records that it changes: all of the collection as it is, or those with a value in this field of it. Absent for none. */
  readonly touches?: { readonly withField?: string };
  /** Their number; absent in a plan that counts none. */
  readonly records?: number;
  /** The path in the lines of records that can prevent it. */
  readonly judges?: string;
};

/** A record that does not fit, or several that do not together. */
export type Violation = {
  /** Of a field, or of the rule. */
  readonly path: string;
  /** Empty in the line that says that there are more. */
  readonly recordIds: readonly string[];
  readonly text: string;
};

/** The step with its number of records. */
export function withRecords(step: Step, records: number): Step {
  const number = records === 0 ? 'no' : records.toLocaleString('en-US');
  return { ...step, records, text: `${step.text} (${number} record${records === 1 ? '' : 's'})` };
}
