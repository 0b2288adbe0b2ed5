/** HTTPS. */
import { setting } from './setting.ts';
import { type Optional, optional, parsePort } from './values.ts';

const parseFile = optional((text) => (text === '' ? undefined : text));
const expected = 'the path of a PEM file, or none';

export const tls = {
  cert: setting<Optional<string>>({
    flag: '--tls-cert',
    env: 'SHELF_TLS_CERT',
    value: 'FILE',
    default: 'none',
    help: 'Certificate for HTTPS, with its intermediate certificates, as PEM; a renewed file is used without a restart; none for plain HTTP.',
    expected,
    parse: parseFile,
  }),
  key: setting<Optional<string>>({
    flag: '--tls-key',
    env: 'SHELF_TLS_KEY',
    value: 'FILE',
    default: 'none',
    help: 'Private key of --tls-cert, as PEM.',
    expected,
    parse: parseFile,
  }),
  clientCa: setting<Optional<string>>({
    flag: '--tls-client-ca',
    env: 'SHELF_TLS_CLIENT_CA',
    value: 'FILE',
    default: 'none',
    help: 'Authorities, as PEM, that issue client certificates: a client without one cannot connect; none to ask for no certificate.',
    expected,
    parse: parseFile,
  }),
  redirect: setting<Optional<number>>({
    flag: '--http-redirect',
    env: 'SHELF_HTTP_REDIRECT',
    value: 'PORT',
    default: 'none',
    help: 'Port for plain HTTP that redirects to HTTPS; none for no such port.',
    expected: 'a port number from 1 to 65535, or none',
    parse: optional((text) => parsePort(text, 1)),
  }),
};
