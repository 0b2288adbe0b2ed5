/** HTTPS. */
import { optionalSetting } from './setting.ts';
import { parsePort } from './values.ts';

const pemFile = {
  value: 'FILE',
  expected: 'the path of a PEM file, or none',
  parse: (text: string) => (text === '' ? undefined : text),
};

export const tls = {
  cert: optionalSetting({
    flag: '--tls-cert',
    help: 'Certificate for HTTPS, with its intermediate certificates, as PEM; a renewed file is used without a restart; none for plain HTTP.',
    ...pemFile,
  }),
  key: optionalSetting({
    flag: '--tls-key',
    help: 'Private key of --tls-cert, as PEM.',
    ...pemFile,
  }),
  clientCa: optionalSetting({
    flag: '--tls-client-ca',
    help: 'Authorities, as PEM, that issue client certificates: a client without one cannot connect; none to ask for no certificate.',
    ...pemFile,
  }),
  redirect: optionalSetting({
    flag: '--http-redirect',
    value: 'PORT',
    help: 'Port for plain HTTP that redirects to HTTPS; none for no such port.',
    expected: 'a port number from 1 to 65535, or none',
    parse: (text) => parsePort(text, 1),
  }),
};
