/** The signature algorithms of tokens, without a server. */
import { expect, test } from 'bun:test';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { tokenVerifier } from './jwt.ts';

const issuer = 'https://id.example.com';
type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const edwards = generateKeyPairSync('ed25519');

function verify({ publicKey }: Pair, token: string) {
  return tokenVerifier({
    issuer,
    audience: undefined,
    load: async () => ({ keys: [publicKey.export({ format: 'jwk' })] }),
    report(error) {
      throw error;
    },
  })(token);
}

const sign = ({ privateKey }: Pair, alg: string, claims: Readonly<Record<string, unknown>>) =>
  new SignJWT({ iss: issuer, sub: 'ada', ...claims })
    .setProtectedHeader({ alg })
    .setExpirationTime('5m')
    .sign(privateKey);

test.each<[string, Pair]>([
  ['RS256', rsa],
  ['RS384', rsa],
  ['RS512', rsa],
  ['PS256', rsa],
  ['PS384', rsa],
  ['PS512', rsa],
  ['ES256', curve('P-256')],
  ['ES384', curve('P-384')],
  ['ES512', curve('P-521')],
  ['EdDSA', edwards],
  ['Ed25519', edwards],
])('a token that is signed with %s is accepted', async (alg, pair) => {
  expect(await verify(pair, await sign(pair, alg, { scope: 'shelf:write' }))).toMatchObject({
    name: 'jwt:ada',
    scope: 'write',
  });
});
