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

/** The environment variable, unless it is given, follows from the flag: SHELF_MAX_BODY from --max-body. */
type Declaration<Value> = Omit<Setting<Value>, 'env'> & { readonly env?: string };

export function setting<Value>(declaration: Declaration<Value>): Setting<Value> {
  return { env: `SHELF_${declaration.flag.slice(2).toUpperCase().replaceAll('-', '_')}`, ...declaration };
}

/** A value that may be left out. */
export type Optional<Value> = { readonly value: Value | undefined };

/** Its value can be `none`, which is the default. `parse` reads any other text. */
export function optionalSetting<Value>({
  parse,
  ...declaration
}: Omit<Declaration<Value>, 'default'>): Setting<Optional<Value>> {
  return setting({
    ...declaration,
    default: 'none',
    parse(text) {
      if (text === 'none') return { value: undefined };
      const value = parse(text);
      return value === undefined ? undefined : { value };
    },
  });
}
