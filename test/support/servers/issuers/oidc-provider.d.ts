/** The parts of oidc-provider that tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    on(event: 'server_error', listener: (context: unknown, error: Error) => void): this;
  }
}
