/** Why a sign-in has failed, in words for the screen. */
import {
  AuthorizationResponseError,
  JWT_TIMESTAMP_CHECK,
  OperationProcessingError,
  ResponseBodyError,
} from 'oauth4webapi';
import type { Issuer } from './issuers.ts';

export type SignInFailure =
  /** Without asking the person, the issuer does not let them in. */
  { readonly kind: 'asks' } | { readonly kind: 'refused' | 'unreachable'; readonly why: string };

/** With `prompt=none` (OpenID Connect Core, section 3.1.2.6). */
const asking = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

export function failureOf(error: unknown, { name }: Issuer): SignInFailure {
  if (error instanceof AuthorizationResponseError) {
    if (asking.includes(error.error)) return { kind: 'asks' };
    return { kind: 'refused', why: `${name} has refused the sign-in: ${described(error)}` };
  }
  if (error instanceof ResponseBodyError) {
    // Another page has used the code, or it has waited for too long. Of a refresh: the session has ended.
    const why = error.error === 'invalid_grant' ? 'This sign-in is over' : `${name} has refused the sign-in`;
    return { kind: 'refused', why: `${why}: ${described(error)}` };
  }
  if (error instanceof OperationProcessingError) {
    if (error.code === JWT_TIMESTAMP_CHECK)
      return {
        kind: 'refused',
        why: `The clock of this device differs from that of ${name} by more than five minutes. Set it, then sign in again.`,
      };
    return { kind: 'refused', why: `${name} has answered wrongly: ${error.message}. Sign in again.` };
  }
  if (error instanceof TypeError || error instanceof DOMException)
    return {
      kind: 'unreachable',
      why: `${name} does not answer this page. Try again. If it answers elsewhere, it does not allow the origin ${location.origin} (CORS).`,
    };
  return { kind: 'refused', why: `${name} has answered wrongly: ${String((error as Error).message)}. Sign in again.` };
}

/** The text comes from outside. */
function described({ error, error_description: text }: AuthorizationResponseError | ResponseBodyError): string {
  const said = text === undefined ? error : `${text} (${error})`;
  return said.slice(0, 300);
}
