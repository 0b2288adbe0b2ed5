/** A setting: its flag, its environment variable, its default, its help line and how it is read. */

export type Setting<Value> = {
  readonly flag: string;
  readonly env: string;
  /** What stands for the value in the help text. */
  readonly value: string;
  readonly default: string;
  readonly help: string;
  /** What a right value is, to follow "must be". */
  readonly expected: string;
  /** False for a setting that the configuration file cannot have. */
  readonly inFile?: false;
  /** Undefined when the text is no right value. */
  parse(text: string): Value | undefined;
};

/** Stands for the value of a setting that is on or off; its flag alone means on. */
export const switchValue = 'SWITCH';

export function setting<Value>(declaration: Setting<Value>): Setting<Value> {
  return declaration;
}
