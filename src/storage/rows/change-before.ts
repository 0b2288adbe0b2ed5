/** The state before an update, in a change from elsewhere. */

/** What is wrong with it, to follow the name of the change; undefined for nothing. `before` is null if the change has none. */
export function beforeProblem(type: string, version: number, before: string | null): string | undefined {
  if (before === null) return undefined;
  if (type !== 'updated') return 'has a state before it, and is no update';
  const earlier = versionIn(before);
  return earlier !== undefined && earlier >= 1 && earlier < version ? undefined : 'has no earlier state before it';
}

function versionIn(before: string): number | undefined {
  try {
    const { version } = JSON.parse(before);
    return Number.isSafeInteger(version) ? version : undefined;
  } catch {
    return undefined;
  }
}
