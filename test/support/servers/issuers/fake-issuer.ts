/** An issuer whose every answer a test decides. */
import { CompactSign, exportJWK, generateKeyPair, type CompactJWSHeaderParameters as Header, type JWK } from 'jose';
import { audience } from './issuer.ts';

export type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

export class FakeIssuer {
  /** The paths of requests that it has got. */
  readonly asked: string[] = [];
  /** Members that replace those of its discovery document. */
  document: Readonly<Record<string, unknown>> = {};
  keys: JWK[] = [];
  /** Answers a path in place of the document and the keys; undefined to leave it to them. */
  answer: (path: string, request: Request) => Response | Promise<Response> | undefined = () => undefined;
  #host: Bun.Server<undefined> | undefined;
  #port = 0;

  static start(): FakeIssuer {
    const issuer = new FakeIssuer();
    issuer.listen();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** On the port that it had. */
  listen(): void {
    this.#host = Bun.serve({
      port: this.#port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => this.#reply(request),
    });
    this.#port = this.#host.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.#host?.stop(true);
  }

  /** Makes a key pair and publishes it. */
  async publish(kid: string | undefined, alg: string, named = true): Promise<Pair> {
    const pair = await generateKeyPair(alg, { extractable: true });
    const names = { ...(kid === undefined ? {} : { kid }), ...(named ? { alg } : {}) };
    this.keys.push({ ...(await exportJWK(pair.publicKey)), ...names });
    return pair;
  }

  /** Any header and claims, also those that no issuer would sign; undefined leaves a claim out. */
  sign(key: Pair['privateKey'] | Uint8Array, header: Header, claims: Readonly<Record<string, unknown>> = {}) {
    const exp = Math.floor(Date.now() / 1000) + 300;
    const payload = { iss: this.url, aud: audience, sub: 'ada', scope: 'write', exp, ...claims };
    const crit = Object.fromEntries((header.crit ?? []).map((name) => [name, true]));
    return new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
      .setProtectedHeader(header)
      .sign(key, { crit });
  }

  #reply(request: Request): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    this.asked.push(pathname);
    const answer = this.answer(pathname, request);
    if (answer !== undefined) return answer;
    if (pathname === '/jwks') return Response.json({ keys: this.keys });
    return Response.json({
      issuer: this.url,
      jwks_uri: `${this.url}/jwks`,
      id_token_signing_alg_values_supported: ['ES256'],
      ...this.document,
    });
  }
}
