/** Choices of the person at this browser, such as the density of tables. Nothing secret is kept here. */
import { type Signal, signal } from '@preact/signals';

const prefix = 'shelf.';

/** A signal whose value outlives the tab. `isRight` keeps out what an older version has left. */
export function preference<Value>(
  name: string,
  preset: Value,
  isRight: (value: unknown) => value is Value,
): Signal<Value> {
  const kept = signal(read());
  let first = true;
  kept.subscribe((value) => {
    if (!first) localStorage.setItem(prefix + name, JSON.stringify(value));
    first = false;
  });
  return kept;

  function read(): Value {
    try {
      const value: unknown = JSON.parse(localStorage.getItem(prefix + name) ?? 'null');
      return isRight(value) ? value : preset;
    } catch {
      return preset;
    }
  }
}
