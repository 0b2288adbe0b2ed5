import { expect, test } from 'bun:test';
import { whyNoAccess } from './no-access.ts';

const issuer = { name: 'https://id.example.com' };
const right = { iss: issuer.name, aud: 'shelf', scope: 'openid read' };
const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

test.each<[object, string]>([
  [{ ...right, aud: undefined }, 'The token is for no audience. It needs the audience shelf.'],
  [{ ...right, aud: ['a', 'b'] }, 'The token is for a, b. It needs the audience shelf.'],
  [
    { ...right, iss: 'https://sts.example.com' },
    'The token is from https://sts.example.com, not from https://id.example.com.',
  ],
  [{ ...right, scope: undefined }, 'The token has no scope. It needs read, write or admin.'],
  [{ ...right, scope: 'openid café' }, 'The token has the scope openid, café. It needs read, write or admin.'],
  [{ ...right, scope: undefined, scp: ['shelf'] }, 'The token has the scope shelf. It needs read, write or admin.'],
  [
    { ...right, scope: undefined, scp: ['shelf:write'] },
    'The server refuses the token: its clock may differ from that of the issuer.',
  ],
  [right, 'The server refuses the token: its clock may differ from that of the issuer.'],
])('the claims %j', (claims, why) => {
  expect(whyNoAccess(tokenOf(claims), issuer, 'shelf')).toBe(why);
});

test.each(['opaque', 'a.b', 'a.!.c', ''])('%j is not a token with claims', (token) => {
  expect(whyNoAccess(token, issuer, 'shelf')).toStartWith('The token is not a JSON Web Token');
});
