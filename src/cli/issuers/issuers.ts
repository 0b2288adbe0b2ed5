/** The issuers of --oidc-issuer: read by the first thread of the process, and known to each. */
import { StartError } from '../../domain/errors.ts';
import { Issuer, type IssuerState, type News } from '../../http/access/issuer.ts';
import type { Log } from '../../http/observe/log-entry.ts';
import type { Config } from '../settings/settings.ts';
import { IssuerReader, type Pauses } from './issuer-reader.ts';
import { readIssuer } from './read-issuer.ts';

type Access = Config['access'];

/** Throws a StartError for settings that do not belong together. */
export function requireIssuerSettings({ auth, oidcIssuer, oidcAudience, jwtIssuer }: Access): void {
  const issuers = oidcIssuer.value;
  if (issuers === undefined && oidcAudience.value === undefined) return;
  if (issuers === undefined)
    throw new StartError('--oidc-audience needs --oidc-issuer: set it to the issuer of the tokens.');
  if (oidcAudience.value === undefined)
    throw new StartError(
      '--oidc-issuer needs --oidc-audience: set it to the audience (aud claim) of tokens for this service.',
    );
  if (auth === 'off')
    throw new StartError('--oidc-issuer needs --auth write or --auth all: with --auth off no token is checked.');
  if (jwtIssuer.value !== undefined && issuers.includes(jwtIssuer.value))
    throw new StartError(`--oidc-issuer and --jwt-issuer both name ${jwtIssuer.value}: leave out --jwt-issuer.`);
}

export class Issuers {
  /** As the first thread knows them. */
  readonly known: readonly Issuer[];
  readonly #readers: ReadonlyMap<string, IssuerReader>;

  /** `onState` tells the other threads. */
  constructor(
    names: readonly string[],
    log: Log,
    onState: (name: string, state: IssuerState) => void,
    pauses?: Pauses | undefined,
  ) {
    this.known = names.map((name) => new Issuer(name, (attempt) => this.next(name, attempt)));
    this.#readers = new Map(
      this.known.map((issuer) => {
        const adopt = (state: IssuerState) => {
          issuer.adopt(state);
          onState(issuer.name, state);
        };
        return [issuer.name, new IssuerReader({ issuer: issuer.name, read: readIssuer, onState: adopt, log, pauses })];
      }),
    );
  }

  /** Resolves when each was read, or cannot be read now. From then on they are read again and again. */
  async read(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.read()));
  }

  /** For other threads, too. */
  async next(name: string, attempt: number): Promise<News> {
    const reader = this.#readers.get(name);
    if (reader === undefined) throw new Error(`there is no issuer ${name}`);
    return reader.next(attempt);
  }

  stop(): void {
    for (const reader of this.#readers.values()) reader.stop();
  }
}

/** Served by the first thread. */
export type IssuerCalls = {
  nextOfIssuer(name: string, attempt: number): Promise<News>;
};

/** As another thread knows them. */
export function issuersOverMain(names: readonly string[], main: IssuerCalls): readonly Issuer[] {
  return names.map((name) => new Issuer(name, (attempt) => main.nextOfIssuer(name, attempt)));
}
