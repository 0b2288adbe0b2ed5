/** Who is signed in, what they may do, and the collections they see. */
import { signal } from '@preact/signals';
import { keyOfTab, tokenOfPage } from '../api/client.ts';
import { type Collection, readService, type Service } from '../api/declarations.ts';
import { messageOf, ShelfError } from '../api/problem.ts';
import { onExpired, onUnauthorized, send } from '../api/request.ts';
import { endSession } from '../sign-in/end-session.ts';
import { failedSignIn } from '../sign-in/go.ts';
import { here } from '../sign-in/issuers.ts';
import { whyNoAccess } from '../sign-in/no-access.ts';
import { keyOfOtherTab } from '../sign-in/other-tabs.ts';
import { forget, type Grant, person, renewed, withdraw } from '../sign-in/person.ts';
import { onSignedOutElsewhere, remembered, signOutElsewhere } from '../sign-in/remembered.ts';
import { removeNotices } from './notices.ts';

export type Scope = 'read' | 'write' | 'admin';
const scopes: readonly Scope[] = ['read', 'write', 'admin'];

/** The answer of /api/v2/me. */
export type Me = {
  readonly auth: 'off' | 'write' | 'all';
  readonly name: string | null;
  readonly scope: Scope | null;
  readonly collections: readonly string[] | null;
  /** Absent for a caller with a scope. */
  readonly role?: string;
  readonly rights?: readonly Right[];
  /** How the server was started; absent if the caller may not know it. */
  readonly started?: StartedAs;
};

export type StartedAs = {
  readonly program: string;
  /** Empty in a container. */
  readonly start: string;
  readonly data: string;
  readonly others: string;
  /** The file with the certificate that clients must be given; empty if none. */
  readonly trust: string;
};

export type Change = 'create' | 'update' | 'delete';
/** No role may import files: they are too large to be judged record by record in one transaction. */
type ChangeAsked = Change | 'import';

/** What a role may do. What has no row is not allowed. */
export type Right = {
  readonly collection: string;
  readonly operation: 'read' | Change;
  readonly records: 'all' | 'some';
  readonly fields: readonly string[] | null;
};

export type Session =
  | { readonly kind: 'starting' }
  /** Signing out: what has begun comes to its end. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** `why` is empty if no key was refused. `isNeeded`: even reading needs a key. */
  | { readonly kind: 'signed out'; readonly why: string; readonly isNeeded: boolean }
  | OpenSession;

/** The frame and its screens are only there with one. */
export type OpenSession = { readonly kind: 'open'; readonly me: Me } & Service;

const notValid = 'This key is not valid. Check it, or use another one.';

export const session = signal<Session>({ kind: 'starting' });

/** `isNewTab`: another tab may have a key. */
export async function startSession(isNewTab = false): Promise<void> {
  // Both at once: the first screen waits for the slower one, not for their sum. Without a key the second may be refused.
  const service = readService();
  service.catch(() => {});
  try {
    const me: Me = JSON.parse(await send({ path: '/api/v2/me' }));
    const key = isNewTab && me.auth !== 'off' && !hasKey() ? await keyOfOtherTab() : undefined;
    if (key !== undefined) {
      keyOfTab.set(key);
      return startSession();
    }
    // A text that cannot be a key is answered like none.
    if (me.auth !== 'off' && me.name === null && hasKey()) await refused(notValid);
    else if (mayNothing(me) || failedSignIn.value !== '')
      session.value = { kind: 'signed out', why: '', isNeeded: mayNothing(me) };
    else session.value = { kind: 'open', me, ...(await service) };
  } catch (error) {
    const status = error instanceof ShelfError ? error.status : undefined;
    if (status !== 401 && status !== 403) session.value = { kind: 'unreachable', why: messageOf(error) };
    else if (!hasKey()) session.value = { kind: 'signed out', why: '', isNeeded: true };
    else await refused(status === 401 ? notValid : messageOf(error));
  }
}

/** The collections were changed. */
export async function readAgain(): Promise<void> {
  const service = await readService();
  if (session.value.kind === 'open') session.value = { ...session.value, ...service };
}

function mayNothing({ scope, role }: Me): boolean {
  return scope === null && role === undefined;
}

export const hasKey = () => tokenOfPage.get() !== undefined || keyOfTab.get() !== null;

/** The key or the token gives no access. A person stays known, to be able to sign out at the issuer. */
async function refused(why: string): Promise<void> {
  const token = tokenOfPage.get();
  if (person.value === undefined || token === undefined) {
    signOut(why);
    return;
  }
  const { name, issuer } = person.value;
  failedSignIn.value = `You are signed in at ${issuer.name} as ${name}, without access to this service. ${whyNoAccess(token, issuer, here.audience)}`;
  remembered.forget();
  withdraw();
  await startSession();
}

export function signIn(key: string): Promise<void> {
  forget();
  failedSignIn.value = '';
  keyOfTab.set(key);
  return startSession();
}

/** Goes on with what needs no key. */
export function goOn(): Promise<void> {
  failedSignIn.value = '';
  return startSession();
}

/** Shows the sign-in. */
export function signOut(why = ''): void {
  const current = session.value;
  keyOfTab.forget();
  const isNeeded =
    current.kind === 'signed out'
      ? current.isNeeded
      : current.kind === 'open' && current.me.auth === 'all' && current.me.role === undefined;
  session.value = { kind: 'signed out', why, isNeeded };
}

const forgetting = new Set<() => Promise<void>>();

/** Called when a person signs out, to end that person's work and forget what the browser keeps of it. It still has the key. */
export function onLeave(forgetWork: () => Promise<void>): void {
  forgetting.add(forgetWork);
}

/** Signs out, and goes on without a key where that is possible. The next person at this browser finds nothing. */
export async function leave(): Promise<void> {
  const grant = await forgetCaller();
  remembered.forget();
  signOutElsewhere();
  if (grant !== undefined && (await endSession(grant))) return;
  await startSession();
}

/** Returns the tokens of a person. */
async function forgetCaller(): Promise<Grant | undefined> {
  session.value = { kind: 'leaving' };
  failedSignIn.value = '';
  await Promise.all([...forgetting].map((forgetWork) => forgetWork()));
  removeNotices();
  keyOfTab.forget();
  return forget();
}

onSignedOutElsewhere(async () => {
  if (!hasKey()) return;
  await forgetCaller();
  failedSignIn.value = 'You have signed out in another tab.';
  await startSession();
});

/** The collections that the caller may read. */
export function collectionsSeen(): readonly Collection[] {
  const current = session.value;
  return current.kind === 'open' ? current.collections : [];
}

/** Commands work as they are on this server, if the caller may know how it was started. */
export function startedAs(): StartedAs {
  const current = session.value;
  const unknown = { program: 'shelf', start: 'shelf', data: '', others: '', trust: '' };
  return current.kind === 'open' ? (current.me.started ?? unknown) : unknown;
}

/** The name of the key or token; null without one. */
export function keyName(): string | null {
  const current = session.value;
  return current.kind === 'open' ? current.me.name : null;
}

onUnauthorized(() => {
  // A person signs in again beside the page, which keeps what was typed.
  if (session.value.kind === 'open' && person.value === undefined)
    signOut('The key is no longer valid: it was revoked, or it has expired.');
});

onExpired(async (token, isChange) => session.value.kind === 'open' && renewed(token, isChange));

/**
 * Why the caller may not do something, in words for the screen; undefined if it may. `collection` is absent for what concerns
 * all of them, and `change` for any change: a role may have some of them only.
 */
export function refusal(needed: Scope, collection?: string, change?: ChangeAsked): string | undefined {
  const current = session.value;
  if (current.kind !== 'open') return 'Not signed in.';
  const { auth, name, scope, collections } = current.me;
  if (current.me.role !== undefined) return refusalOfRole(current.me, needed, collection, change);
  if (auth === 'off' || (needed === 'read' && auth === 'write')) return undefined;
  if (scope === null || scopes.indexOf(scope) < scopes.indexOf(needed))
    return name === null
      ? `Sign in with a key of scope ${needed} to do this.`
      : `${callerName(name)} has the scope ${scope}. This needs the scope ${needed}.`;
  if (collections === null || (collection !== undefined && collections.includes(collection))) return undefined;
  return `${callerName(name)} is limited to ${collections.join(', ')}.`;
}

function refusalOfRole(
  { name, role, rights = [] }: Me,
  needed: Scope,
  collection: string | undefined,
  change: ChangeAsked | undefined,
): string | undefined {
  const isAllowed = rights.some(
    ({ collection: one, operation }) =>
      one === collection &&
      (needed === 'read'
        ? operation === 'read'
        : operation !== 'read' && (change === undefined || operation === change)),
  );
  if (needed !== 'admin' && isAllowed) return undefined;
  const who = name === null ? 'Without a key you have' : `${callerName(name)} has`;
  const what = needed === 'admin' ? 'do this' : `${change ?? 'change'} records of ${collection ?? 'all collections'}`;
  return `${who} the role ${role}, which may not ${what}.`;
}

/** Whether the caller may send the field. */
export function maySend(collection: string, change: Change, field: string): boolean {
  const { value: current } = session;
  if (current.kind !== 'open' || current.me.rights === undefined) return true;
  const right = current.me.rights.find((one) => one.collection === collection && one.operation === change);
  return right?.fields?.includes(field) === true;
}

function callerName(name: string | null): string {
  return person.value?.name ?? `The key ${name}`;
}
