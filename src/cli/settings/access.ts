/** Who may do what. */
import { type AuthMode, authModes } from '../../http/access/auth.ts';
import { parseRanges, type Range } from '../../http/access/client-address.ts';
import { parseIssuers } from '../../http/access/issuer-url.ts';
import type { Rate } from '../../http/limits/rate-limit.ts';
import { optionalSetting, setting } from './setting.ts';
import { parseClients, parseHosts, parseOrigins, parseRate, parseScopes } from './values.ts';

export const access = {
  auth: setting<AuthMode>({
    flag: '--auth',
    value: 'WHAT',
    default: 'off',
    help: 'Requests that need an API key or a token: off (none), write (changes and /metrics), all (everything except health and documentation).',
    expected: 'off, write or all',
    parse: (text) => authModes.find((mode) => mode === text),
  }),
  jwtIssuer: optionalSetting<string>({
    flag: '--jwt-issuer',
    value: 'ISSUER',
    help: 'Issuer (iss claim) whose JSON Web Tokens are accepted besides API keys; none to accept no tokens.',
    expected: 'an issuer without spaces, such as https://id.example.com, or none',
    parse: (text) => (/^\S{1,500}$/.test(text) ? text : undefined),
  }),
  jwtKeys: optionalSetting<string>({
    flag: '--jwt-keys',
    value: 'PLACE',
    help: 'Public keys of the issuer (JWKS): a URL or a file, read again as keys rotate.',
    expected: 'a URL such as https://id.example.com/jwks.json, the path of a file, or none',
    parse: (text) => (/^https?:\/\//.test(text) && !URL.canParse(text) ? undefined : text),
  }),
  jwtAudience: optionalSetting<string>({
    flag: '--jwt-audience',
    value: 'AUDIENCE',
    help: 'Audience (aud claim) that a token must have; none only if the issuer makes tokens for this service alone.',
    expected: 'an audience without spaces, or none',
    parse: (text) => (/^\S{1,500}$/.test(text) ? text : undefined),
  }),
  oidcIssuer: optionalSetting<readonly string[]>({
    flag: '--oidc-issuer',
    value: 'ISSUERS',
    help: 'OpenID issuers whose JSON Web Tokens are accepted besides API keys, separated by commas; each names its keys itself.',
    expected: 'issuers such as https://id.example.com (http only on loopback), each once, or none',
    parse: parseIssuers,
  }),
  oidcAudience: optionalSetting<string>({
    flag: '--oidc-audience',
    value: 'AUDIENCE',
    help: 'Audience (aud claim) that a token of --oidc-issuer must have: the name of this service at the issuer.',
    expected: 'an audience without spaces, or none',
    parse: (text) => (/^\S{1,500}$/.test(text) ? text : undefined),
  }),
  oidcClient: optionalSetting<readonly string[]>({
    flag: '--oidc-client',
    value: 'CLIENT',
    help: 'Id of the console at --oidc-issuer, where people then sign in to the console; one for all issuers, or one for each, separated by commas.',
    expected: 'the id of a public client such as shelf-console, without spaces, or none',
    parse: parseClients,
  }),
  oidcScope: optionalSetting<readonly string[]>({
    flag: '--oidc-scope',
    value: 'SCOPES',
    help: 'Scopes besides openid that the console asks --oidc-issuer for, separated by spaces; for all issuers, or for each, separated by commas; none for those of Shelf that the issuer lists, or read, write and admin if it lists none of them.',
    expected: 'scopes such as "read write offline_access", or none',
    parse: parseScopes,
  }),
  rateLimit: optionalSetting<Rate>({
    flag: '--rate-limit',
    value: 'RATE',
    help: 'Maximum requests per API key, or per address without a key, such as 100/s, 600/m or 5000/h; none for no limit.',
    expected: 'a rate such as 100/s, 600/m or 5000/h, or none',
    parse: parseRate,
  }),
  trustedProxy: optionalSetting<readonly Range[]>({
    flag: '--trusted-proxy',
    value: 'RANGES',
    help: 'Addresses or ranges of proxies whose X-Forwarded-For is trusted, separated by commas; all clients behind another proxy count as one, which gets three quarters of each limit.',
    expected: 'addresses or ranges such as 10.0.0.0/8,::1, or none',
    parse: parseRanges,
  }),
  cors: optionalSetting<readonly string[]>({
    flag: '--cors',
    value: 'ORIGINS',
    help: 'Origins whose web pages may use the API, separated by commas; * for all.',
    expected: 'origins such as https://app.example.com, without wildcards, or * alone, or none',
    parse: parseOrigins,
  }),
  allowedHosts: optionalSetting<readonly string[]>({
    flag: '--allowed-hosts',
    value: 'NAMES',
    help: 'Names accepted in the Host header besides the loopback names, separated by commas; others get 403.',
    expected: 'host names or addresses without a port, such as shelf.test,192.168.1.5, or none',
    parse: parseHosts,
  }),
};
