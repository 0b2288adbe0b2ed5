/** The sign-in that this tab has begun, while its person is at the issuer. What is kept signs nobody in without the issuer's answer. */
import type { Attempt } from './oauth.ts';

const name = 'shelf.sign-in';

/** `to`: where the person was. */
export type KeptAttempt = Attempt & { readonly to: string; readonly isSilent: boolean };

export function keepAttempt(attempt: KeptAttempt): void {
  sessionStorage.setItem(name, JSON.stringify(attempt));
}

/** The attempt that this answer is for; undefined if this tab has begun none such. Each is taken once. */
export function takeAttempt(state: string | null): KeptAttempt | undefined {
  const kept: KeptAttempt | null = JSON.parse(sessionStorage.getItem(name) ?? 'null');
  if (kept === null || kept.state !== state) return undefined;
  sessionStorage.removeItem(name);
  return kept;
}
