/** Who may do what. */
import { type AuthMode, authModes } from '../../http/access/auth.ts';
import { parseRanges, type Range } from '../../http/access/client-address.ts';
import type { Rate } from '../../http/limits/rate-limit.ts';
import { setting } from './setting.ts';
import { type Optional, optional, parseHosts, parseOrigins, parseRate } from './values.ts';

export const access = {
  auth: setting<AuthMode>({
    flag: '--auth',
    env: 'SHELF_AUTH',
    value: 'WHAT',
    default: 'off',
    help: 'Requests that need an API key or a token: off (none), write (changes and /metrics), all (everything except health and documentation).',
    expected: 'off, write or all',
    parse: (text) => authModes.find((mode) => mode === text),
  }),
  jwtIssuer: setting<Optional<string>>({
    flag: '--jwt-issuer',
    env: 'SHELF_JWT_ISSUER',
    value: 'ISSUER',
    default: 'none',
    help: 'Issuer (iss claim) whose JSON Web Tokens are accepted besides API keys; none to accept no tokens.',
    expected: 'an issuer without spaces, such as https://id.example.com, or none',
    parse: optional((text) => (/^\S{1,500}$/.test(text) ? text : undefined)),
  }),
  jwtKeys: setting<Optional<string>>({
    flag: '--jwt-keys',
    env: 'SHELF_JWT_KEYS',
    value: 'PLACE',
    default: 'none',
    help: 'Public keys of the issuer (JWKS): a URL or a file, read again as keys rotate.',
    expected: 'a URL such as https://id.example.com/jwks.json, the path of a file, or none',
    parse: optional((text) => (/^https?:\/\//.test(text) && !URL.canParse(text) ? undefined : text)),
  }),
  jwtAudience: setting<Optional<string>>({
    flag: '--jwt-audience',
    env: 'SHELF_JWT_AUDIENCE',
    value: 'AUDIENCE',
    default: 'none',
    help: 'Audience (aud claim) that a token must have; none only if the issuer makes tokens for this service alone.',
    expected: 'an audience without spaces, or none',
    parse: optional((text) => (/^\S{1,500}$/.test(text) ? text : undefined)),
  }),
  rateLimit: setting<Optional<Rate>>({
    flag: '--rate-limit',
    env: 'SHELF_RATE_LIMIT',
    value: 'RATE',
    default: 'none',
    help: 'Maximum requests per API key, or per address without a key, such as 100/s, 600/m or 5000/h; none for no limit.',
    expected: 'a rate such as 100/s, 600/m or 5000/h, or none',
    parse: optional(parseRate),
  }),
  trustedProxy: setting<Optional<readonly Range[]>>({
    flag: '--trusted-proxy',
    env: 'SHELF_TRUSTED_PROXY',
    value: 'RANGES',
    default: 'none',
    help: 'Addresses or ranges of proxies whose X-Forwarded-For is trusted, separated by commas; all clients behind another proxy count as one, which gets three quarters of each limit.',
    expected: 'addresses or ranges such as 10.0.0.0/8,::1, or none',
    parse: optional(parseRanges),
  }),
  cors: setting<Optional<readonly string[]>>({
    flag: '--cors',
    env: 'SHELF_CORS',
    value: 'ORIGINS',
    default: 'none',
    help: 'Origins whose web pages may use the API, separated by commas; * for all.',
    expected: 'origins such as https://app.example.com, without wildcards, or * alone, or none',
    parse: optional(parseOrigins),
  }),
  allowedHosts: setting<Optional<readonly string[]>>({
    flag: '--allowed-hosts',
    env: 'SHELF_ALLOWED_HOSTS',
    value: 'NAMES',
    default: 'none',
    help: 'Names accepted in the Host header besides the loopback names, separated by commas; others get 403.',
    expected: 'host names or addresses without a port, such as shelf.test,192.168.1.5, or none',
    parse: optional(parseHosts),
  }),
};
