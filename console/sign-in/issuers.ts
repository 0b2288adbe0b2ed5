/** The issuers where people sign in, as the page was served with them. Its Content-Security-Policy allows their endpoints alone. */

export type Issuer = {
  readonly name: string;
  /** The id of the console there. */
  readonly client: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly endpoints: {
    readonly authorization: string;
    readonly token: string;
    readonly revocation?: string;
    readonly endSession?: string;
  };
  readonly algorithms: readonly string[];
  readonly isNamedInAnswers: boolean;
};

/** The server has not been able to read it. */
export type UnreadIssuer = { readonly name: string; readonly endpoints?: undefined };

/** What the issuers know of this console. */
export type Here = {
  /** That a token must have. */
  readonly audience: string;
  /** Where people return to: exactly this is registered at the issuer. */
  readonly redirectUri: string;
  readonly afterSignOut: string;
};

type Served = { readonly audience: string; readonly issuers: readonly (Issuer | UnreadIssuer)[] };

function served(): Served {
  const text = document.getElementById('console')?.dataset.signIns;
  return text === undefined ? { audience: '', issuers: [] } : JSON.parse(text);
}

const { audience, issuers: read } = served();
export const issuers = read;
export const redirectPath = '/console/-/signed-in';
export const here: Here = {
  audience,
  redirectUri: location.origin + redirectPath,
  afterSignOut: `${location.origin}/console`,
};

/** Undefined if people cannot sign in there now. */
export function issuerNamed(name: string | null | undefined): Issuer | undefined {
  return issuers.find((one): one is Issuer => one.name === name && one.endpoints !== undefined);
}

/** The issuer as people know it: without the scheme. */
export function placeOf({ name }: { readonly name: string }): string {
  return name.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
