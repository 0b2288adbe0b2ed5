/** A real OpenID issuer on loopback, in this process: oidc-provider. Its forms accept any name and password. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';

// The first import warns, so it is not at the top.
const { default: Provider } = quietly(() => require('oidc-provider') as typeof import('oidc-provider'));

/** Of the tokens that it makes. */
export const audience = 'https://shelf.example.com';
export const consoleClient = 'shelf-console';
export const pageClient = 'library-page';
const service = { client_id: 'billing', client_secret: 'a secret of the service, which is long enough' };

export type IssuerOptions = {
  /** Of the console: where people return to. */
  readonly origins?: readonly string[];
  /** Of pages with a client of their own: where people return to. */
  readonly pages?: readonly string[];
  /** More members of the tokens of a person. */
  readonly claimsOf?: (name: string) => Readonly<Record<string, unknown>>;
  /** Seconds that a token of a person is valid. */
  readonly seconds?: number;
  /** Tokens of people can be refreshed. */
  readonly refreshes?: boolean;
  /** People can sign out there. */
  readonly endsSessions?: boolean;
};

let keys = 0;
async function newKey() {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: `key-${++keys}`, alg: 'ES256', use: 'sig' };
}

/** oidc-provider warns of settings that are only for tests, and of this runtime. */
function quietly<Result>(make: () => Result): Result {
  const { warn, info } = console;
  Object.assign(console, { warn: () => {}, info: () => {} });
  try {
    return make();
  } finally {
    Object.assign(console, { warn, info });
  }
}

export class TestIssuer {
  /** The paths of requests that it has got. */
  readonly asked: string[] = [];
  #answer: RequestListener = () => {};
  #server = createServer();
  #port = 0;
  #keys: object[] = [];

  private constructor(readonly options: IssuerOptions) {}

  static async start(options: IssuerOptions = {}): Promise<TestIssuer> {
    const issuer = new TestIssuer(options);
    await issuer.listen();
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Signs with a new key from now on. Older keys stay published, as many as are kept. */
  async rotate(kept = 1): Promise<void> {
    this.#keys = [await newKey(), ...this.#keys.slice(0, kept)];
    this.#provide();
  }

  /** A token for a service; its subject is the name of the client. */
  async token(scope: string): Promise<string> {
    const { client_id: id, client_secret: secret } = service;
    const answer = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${id}:${encodeURIComponent(secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource: audience }),
    });
    const { access_token: token } = (await answer.json()) as { access_token?: string };
    if (token === undefined) throw new Error(`the issuer gives no token: ${answer.status}`);
    return token;
  }

  /** Again on the port that it had. */
  async listen(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.asked.push(new URL(request.url ?? '', this.url).pathname);
      this.#answer(request, response);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #provide(): void {
    const {
      origins = [],
      pages = [],
      claimsOf = () => ({}),
      seconds = 600,
      refreshes = true,
      endsSessions = true,
    } = this.options;
    const scopes = ['openid', 'read', 'write', 'admin'];
    const configuration = {
      jwks: { keys: this.#keys },
      scopes,
      clients: [
        { ...service, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
        {
          client_id: consoleClient,
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          redirect_uris: origins.map((origin) => `${origin}/console/-/signed-in`),
          ...(endsSessions ? { post_logout_redirect_uris: origins.map((origin) => `${origin}/console`) } : {}),
        },
        {
          client_id: pageClient,
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code'],
          response_types: ['code'],
          redirect_uris: pages,
          ...(endsSessions ? { post_logout_redirect_uris: pages } : {}),
        },
      ],
      extraTokenClaims: (_: unknown, { accountId }: { readonly accountId?: string }) =>
        accountId === undefined ? undefined : claimsOf(accountId),
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      clientBasedCORS: () => true,
      issueRefreshToken: () => refreshes,
      ttl: {
        AccessToken: seconds,
        ClientCredentials: seconds,
        Grant: 3600,
        IdToken: 120,
        Interaction: 3600,
        RefreshToken: 3600,
        Session: 3600,
      },
      features: {
        clientCredentials: { enabled: true },
        revocation: { enabled: true },
        rpInitiatedLogout: { enabled: endsSessions },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: 'read write admin',
            audience,
            accessTokenTTL: seconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
    };
    this.#answer = quietly(() => new Provider(this.url, configuration).callback());
  }
}
