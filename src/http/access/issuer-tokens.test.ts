/** The caller that a token of an issuer stands for, without a server. */
import { expect, test } from 'bun:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Failure } from '../../domain/errors.ts';
import { keyNamePattern } from '../../domain/store/api-keys.ts';
import { Issuer, type IssuerState } from './issuer.ts';
import { issuerVerifier } from './issuer-tokens.ts';

const { privateKey, publicKey } = await generateKeyPair('ES256');
const published = { keys: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] }, algorithms: ['ES256'] };
const state = { attempt: 1, published, isReachable: true } as unknown as IssuerState;

function issuer(name: string, known = state): Issuer {
  const made = new Issuer(name, async () => ({ state: { ...known, attempt: known.attempt + 1 }, isFresh: true }));
  made.adopt(known);
  return made;
}
const names = ['https://id.example.com', 'https://id.example.com/realms/b', 'https://id.example.com/'];
const verify = issuerVerifier(
  names.map((name) => issuer(name)),
  'shelf',
  undefined,
);
const sign = (claims: object, kid = 'one') =>
  new SignJWT({ iss: names[0] ?? '', aud: 'shelf', sub: 'ada', scope: 'shelf:read shelf:write', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setExpirationTime('5m')
    .sign(privateKey);

test('the same subject at two issuers is two callers', async () => {
  const callers = await Promise.all(names.map(async (iss) => verify(await sign({ iss }))));
  expect(callers.map((caller) => caller?.name)).toEqual([
    'oidc:ada@id.example.com',
    'oidc:ada@id.example.com/realms/b',
    'oidc:ada@id.example.com/',
  ]);
  expect(new Set(callers.map((caller) => caller?.id)).size).toBe(3);
});

test('no subject can look like one of another issuer, like another token, or like an API key', async () => {
  const nameOf = async (sub: string) => (await verify(await sign({ sub })))?.name ?? '';
  // The last @ is the one before the issuer.
  expect(await nameOf('ada@id.example.com')).toBe('oidc:ada@id.example.com@id.example.com');
  for (const sub of [
    'ada@id.example.com/realms/b',
    'ada lovelace',
    'ada\nby: root',
    '',
    '#9f86d081884c7d65',
    'x'.repeat(129),
  ])
    expect(await nameOf(sub)).toMatch(/^$|^oidc:#[0-9a-f]{16}@id\.example\.com$/);
  expect(await nameOf('ada')).not.toMatch(new RegExp(keyNamePattern));
  expect(await nameOf('ada')).not.toStartWith('jwt:');
});

test('a caller has its claims as the issuer has signed them, and the highest scope', async () => {
  const caller = await verify(await sign({ groups: ['staff'], realm_access: { roles: ['a'] }, member_id: 7 }));
  expect(caller).toMatchObject({ scope: 'write', collections: undefined, isToken: true });
  expect(caller?.claims).toMatchObject({ sub: 'ada', groups: ['staff'], realm_access: { roles: ['a'] }, member_id: 7 });
});

test('tokens of others are verified elsewhere, and only those', async () => {
  const seen: string[] = [];
  const both = issuerVerifier([issuer('https://id.example.com')], 'shelf', async (token) => {
    seen.push(token);
    return undefined;
  });
  const foreign = await sign({ iss: 'https://other.example.com' });
  for (const token of [await sign({ aud: 'other' }), foreign, 'a.b.c']) expect(await both(token)).toBeUndefined();
  expect(seen).toEqual([foreign, 'a.b.c']);
});

test('a key that is not published is a refusal, unless the issuer cannot be read: then nobody knows', async () => {
  const unknown = await sign({}, 'two');
  expect(await verify(unknown)).toBeUndefined();
  const down = issuerVerifier([issuer('https://id.example.com', { ...state, isReachable: false })], 'shelf', undefined);
  expect(await down(unknown).catch((error) => error)).toBeInstanceOf(Failure);
  expect(await down(unknown).catch(({ code }) => code)).toBe('issuer_unavailable');
  expect(await down(await sign({}))).toMatchObject({ scope: 'write' });
});

test('an older state does not replace a later one', async () => {
  const one = issuer('https://id.example.com', { ...state, attempt: 5 });
  one.adopt({ attempt: 4, published: undefined, isReachable: false });
  expect(one.published).toEqual(state.published);
});
