/** An OpenID issuer, as a thread that serves sees it: what it publishes, and the key of a token. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { Failure } from '../../domain/errors.ts';

/** Where people sign in and out; undefined for what the issuer does not have. */
export type Endpoints = {
  readonly authorization: string | undefined;
  readonly token: string | undefined;
  readonly revocation: string | undefined;
  readonly endSession: string | undefined;
};

export type Published = {
  readonly keys: JSONWebKeySet;
  /** With which it signs. */
  readonly algorithms: readonly string[];
  readonly endpoints: Endpoints;
  /** Undefined if it does not list them. */
  readonly scopes: readonly string[] | undefined;
  /** Its answers to a sign-in name it (RFC 9207). */
  readonly isNamedInAnswers: boolean;
};

export type IssuerState = {
  /** How often the issuer was read. */
  readonly attempt: number;
  /** What the last successful attempt has found; undefined before the first. */
  readonly published: Published | undefined;
  /** The last attempt was successful. */
  readonly isReachable: boolean;
};

/** `isFresh`: its attempt began after it was asked for, so a key that it lacks does not exist. */
export type News = { readonly state: IssuerState; readonly isFresh: boolean };

export class Issuer {
  #state: IssuerState = { attempt: 0, published: undefined, isReachable: false };
  #findKey: JWTVerifyGetKey | undefined;

  constructor(
    readonly name: string,
    /** Resolves with the state after a later attempt than this one, which all threads share. Throws `overloaded`. */
    readonly next: (attempt: number) => Promise<News>,
  ) {}

  get published(): Published | undefined {
    return this.#state.published;
  }

  adopt(state: IssuerState): void {
    if (state.attempt <= this.#state.attempt) return;
    if (state.published !== undefined && state.published !== this.#state.published)
      this.#findKey = createLocalJWKSet(state.published.keys);
    this.#state = state;
  }

  /** A key that is not known may have been published since. Throws `issuer_unavailable` if that cannot be found out. */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    for (let isLast = false; ; ) {
      const key = await this.#knownKey(header, token);
      if (key !== undefined) return key;
      if (isLast) throw this.#state.isReachable ? new errors.JWKSNoMatchingKey() : new Failure('issuer_unavailable');
      const { state, isFresh } = await this.next(this.#state.attempt);
      this.adopt(state);
      isLast = isFresh;
    }
  };

  async #knownKey(
    ...[header, token]: Parameters<JWTVerifyGetKey>
  ): Promise<Awaited<ReturnType<JWTVerifyGetKey>> | undefined> {
    const { published } = this.#state;
    if (published === undefined || this.#findKey === undefined || !published.algorithms.includes(header.alg))
      return undefined;
    try {
      return await this.#findKey(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }
}
