/** Choices of the person at this browser, such as the density of tables. Nothing secret is kept here, and nothing after signing out. */
import { type Signal, signal } from '@preact/signals';
import { onLeave } from './session.ts';

const prefix = 'shelf.';
const resets = new Set<() => void>();

export const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

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
  resets.add(() => {
    kept.value = preset;
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

/** One for each collection, by its name. */
export function perCollection<Value>(
  name: string,
  preset: Value,
  isRight: (value: unknown) => value is Value,
): (collection: string) => Signal<Value> {
  const known = new Map<string, Signal<Value>>();
  return (collection) => {
    const found = known.get(collection) ?? preference(`${name}.${collection}`, preset, isRight);
    known.set(collection, found);
    return found;
  };
}

// Also what another tab has kept. The name of the issuer is forgotten with the sign-in itself.
onLeave(async () => {
  for (const reset of resets) reset();
  for (const name of Object.keys(localStorage))
    if (name.startsWith(prefix) && name !== `${prefix}issuer`) localStorage.removeItem(name);
});
