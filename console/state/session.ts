/** Who is signed in, what they may do, and the collections they see. */
import { signal } from '@preact/signals';
import { keyOfTab } from '../api/client.ts';
import { readService, type Service } from '../api/declarations.ts';
import { messageOf, ShelfError } from '../api/problem.ts';
import { onUnauthorized, send } from '../api/request.ts';

export type Scope = 'read' | 'write' | 'admin';
const scopes: readonly Scope[] = ['read', 'write', 'admin'];

/** The answer of /api/v2/me. */
export type Me = {
  readonly auth: 'off' | 'write' | 'all';
  readonly name: string | null;
  readonly scope: Scope | null;
  readonly collections: readonly string[] | null;
};

export type Session =
  | { readonly kind: 'starting' }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** `why` is empty if no key was refused. `isNeeded`: even reading needs a key. */
  | { readonly kind: 'signed out'; readonly why: string; readonly isNeeded: boolean }
  | OpenSession;

/** The frame and its screens are only there with one. */
export type OpenSession = { readonly kind: 'open'; readonly me: Me } & Service;

const notValid = 'This key is not valid. Check it, or use another one.';

export const session = signal<Session>({ kind: 'starting' });

export async function startSession(): Promise<void> {
  // Both at once: the first screen waits for the slower one, not for their sum. Without a key the second may be refused.
  const service = readService();
  service.catch(() => {});
  try {
    const me: Me = JSON.parse(await send({ path: '/api/v2/me' }));
    // A text that cannot be a key is answered like none.
    if (me.auth !== 'off' && me.name === null && keyOfTab.get() !== null) {
      signOut(notValid);
      return;
    }
    session.value =
      me.scope === null ? { kind: 'signed out', why: '', isNeeded: true } : { kind: 'open', me, ...(await service) };
  } catch (error) {
    const status = error instanceof ShelfError ? error.status : undefined;
    if (status !== 401 && status !== 403) session.value = { kind: 'unreachable', why: messageOf(error) };
    else if (keyOfTab.get() === null) session.value = { kind: 'signed out', why: '', isNeeded: true };
    else signOut(status === 401 ? notValid : messageOf(error));
  }
}

export function signIn(key: string): Promise<void> {
  keyOfTab.set(key);
  return startSession();
}

/** Shows the sign-in. */
export function signOut(why = ''): void {
  const current = session.value;
  keyOfTab.forget();
  const isNeeded =
    current.kind === 'signed out' ? current.isNeeded : current.kind === 'open' && current.me.auth === 'all';
  session.value = { kind: 'signed out', why, isNeeded };
}

const forgetting = new Set<() => Promise<void>>();

/** Called when a person signs out, to forget what the browser keeps of that person's work. */
export function onLeave(forget: () => Promise<void>): void {
  forgetting.add(forget);
}

/** Signs out, and goes on without a key where that is possible. The next person at this browser finds nothing. */
export async function leave(): Promise<void> {
  signOut();
  await Promise.all([...forgetting].map((forget) => forget()));
  await startSession();
}

/** The name of the key or token; null without one. */
export function keyName(): string | null {
  const current = session.value;
  return current.kind === 'open' ? current.me.name : null;
}

onUnauthorized(() => {
  if (session.value.kind === 'open') signOut('The key is no longer valid: it was revoked, or it has expired.');
});

/**
 * Why the caller may not do something, in words for the screen; undefined if it may. `collection` is absent for what concerns
 * all of them.
 */
export function refusal(needed: Scope, collection?: string): string | undefined {
  const current = session.value;
  if (current.kind !== 'open') return 'Not signed in.';
  const { auth, name, scope, collections } = current.me;
  if (auth === 'off' || (needed === 'read' && auth === 'write')) return undefined;
  if (scope === null || scopes.indexOf(scope) < scopes.indexOf(needed))
    return name === null
      ? `Sign in with a key of scope ${needed} to do this.`
      : `The key ${name} has the scope ${scope}. This needs the scope ${needed}.`;
  if (collections === null || (collection !== undefined && collections.includes(collection))) return undefined;
  return `The key ${name} is limited to ${collections.join(', ')}.`;
}
