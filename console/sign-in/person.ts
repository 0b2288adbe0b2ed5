/** The person who is signed in at an issuer. The tokens are in the memory of this page, and nowhere else. */
import { signal } from '@preact/signals';
import { tokenOfPage } from '../api/client.ts';
import { here, type Issuer, placeOf } from './issuers.ts';
import type { Tokens } from './oauth.ts';

export type Person = {
  readonly name: string;
  readonly subject: string;
  readonly issuer: Issuer;
  readonly place: string;
};
export type Grant = { readonly issuer: Issuer; readonly tokens: Tokens; readonly since: number };

let grant: Grant | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let renewal: Promise<boolean> | undefined;
/** Requests whose token has expired. */
const waiting = new Set<(isRenewed: boolean) => void>();

/** Undefined for a caller with a key, and for one without. */
export const person = signal<Person | undefined>(undefined);
/**
 * The person has to sign in again, and the page stays as it is: `noted` while nothing depends on it, because somebody may be typing;
 * `needed` while a change waits for it.
 */
export const expiry = signal<'none' | 'noted' | 'needed'>('none');

export const loadOauth = () => import('./oauth.ts');

/** A token is renewed before it expires: this many seconds, or a third of its time. */
const early = 60;
const retryMs = 10_000;
/** A token that is refused before it is as old has not expired. */
const shortestMs = 3000;
/** A longer timer would end at once. */
const longestTimerMs = 2 ** 31 - 1;

export function adopt(issuer: Issuer, tokens: Tokens): void {
  grant = { issuer, tokens, since: performance.now() };
  const { name, subject } = tokens;
  person.value = { name, subject, issuer, place: placeOf(issuer) };
  tokenOfPage.set(tokens.access);
  schedule(tokens);
  settle(true);
}

/** The token gives no access, so it is neither sent nor renewed. The person stays known, to sign out at the issuer. */
export function withdraw(): void {
  clearTimeout(timer);
  tokenOfPage.forget();
}

/** Returns the tokens of before. */
export function forget(): Grant | undefined {
  const before = grant;
  grant = undefined;
  person.value = undefined;
  withdraw();
  settle(false);
  return before;
}

/** Resolves with whether there is a token in place of the one that the server has refused. That may need the person. */
export async function renewed(refused: string | undefined, isChange: boolean): Promise<boolean> {
  if (grant === undefined || refused === undefined) return false;
  if (grant.tokens.access !== refused) return true;
  // The server would refuse the next one, too.
  if (performance.now() - grant.since < shortestMs) return false;
  if (await renew()) return true;
  // The person may have signed out meanwhile.
  if (person.value === undefined) return false;
  if (isChange) expiry.value = 'needed';
  else note();
  return new Promise((resolve) => waiting.add(resolve));
}

/** The person does not sign in again now: what waits for that fails. */
export function signInLater(): void {
  settle(false);
}

function settle(isRenewed: boolean): void {
  expiry.value = 'none';
  for (const resolve of waiting) resolve(isRenewed);
  waiting.clear();
}

function schedule({ refresh, seconds }: Tokens): void {
  clearTimeout(timer);
  if (seconds === undefined) return;
  const ms = (refresh === undefined ? seconds : seconds - Math.min(early, seconds / 3)) * 1000;
  if (ms > longestTimerMs) return;
  timer = setTimeout(refresh === undefined ? note : renew, ms);
}

function note(): void {
  if (expiry.value === 'none') expiry.value = 'noted';
}

/** One at a time: an issuer may take a second use of a refresh token for a theft. */
function renew(): Promise<boolean> {
  renewal ??= refreshed().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function refreshed(): Promise<boolean> {
  const before = grant;
  if (before?.tokens.refresh === undefined) return false;
  const { issuer, tokens } = before;
  const outcome = await loadOauth().then((oauth) => oauth.refresh(issuer, here, tokens));
  if (grant !== before) return grant !== undefined;
  if (outcome.kind === 'signed in') {
    adopt(issuer, outcome.tokens);
    return true;
  }
  clearTimeout(timer);
  if (outcome.kind === 'unreachable') {
    timer = setTimeout(renew, retryMs);
    return false;
  }
  // The session at the issuer has ended.
  grant = { ...before, tokens: { ...tokens, refresh: undefined } };
  note();
  return false;
}
