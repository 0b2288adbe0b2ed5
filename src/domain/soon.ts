/** A value, or a promise of it. For a read from memory a promise would cost as much as the read. */
export type Soon<Value> = Value | Promise<Value>;

export function soon<Value, Result>(value: Soon<Value>, then: (value: Value) => Soon<Result>): Soon<Result> {
  return value instanceof Promise ? value.then(then) : then(value);
}
