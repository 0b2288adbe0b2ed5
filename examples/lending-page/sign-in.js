/** Signs people in at an OpenID issuer: authorization code with PKCE. Tokens stay in the memory of the page. */
const kept = 'library.sign-in';
/** Registered at the issuer, as the address to come back to after signing in and out. */
const here = location.origin + location.pathname;

const encoded = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

async function discovered(issuer) {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
  if (!answer.ok) throw new Error(`${issuer} does not answer: try again later.`);
  return answer.json();
}

/** Leaves the page: the issuer sends the person back to it, with a code. */
export async function signIn({ issuer, client, audience }) {
  const { authorization_endpoint: address } = await discovered(issuer);
  const attempt = { state: random(), verifier: random() };
  sessionStorage.setItem(kept, JSON.stringify(attempt));
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(attempt.verifier));
  const asked = {
    response_type: 'code',
    client_id: client,
    redirect_uri: here,
    scope: 'openid',
    resource: audience,
    state: attempt.state,
    code_challenge: encoded(challenge),
    code_challenge_method: 'S256',
  };
  location.assign(`${address}?${new URLSearchParams(asked)}`);
}

/** The tokens of the person that the issuer has just sent back; undefined if it has not. */
export async function returned({ issuer, client, audience }) {
  const answered = new URLSearchParams(location.search);
  const { state, verifier } = JSON.parse(sessionStorage.getItem(kept) ?? '{}');
  sessionStorage.removeItem(kept);
  if (!answered.has('state')) return undefined;
  // A code is for once: neither a reload nor a bookmark has it.
  history.replaceState(null, '', here);
  const [from, code] = [answered.get('iss') ?? issuer, answered.get('code')];
  // Another page can have sent the person here.
  if (answered.get('state') !== state || from !== issuer)
    throw new Error('This sign-in was not begun here: sign in again.');
  if (code === null) throw new Error(`${issuer} has refused the sign-in: ${answered.get('error')}.`);
  const { token_endpoint: address } = await discovered(issuer);
  const sent = { grant_type: 'authorization_code', client_id: client, redirect_uri: here, code_verifier: verifier };
  const body = new URLSearchParams({ ...sent, code, resource: audience });
  const answer = await fetch(address, { method: 'POST', body });
  if (!answer.ok) throw new Error(`${issuer} gives no token: sign in again.`);
  const tokens = await answer.json();
  return { token: tokens.access_token, idToken: tokens.id_token };
}

/** Also ends the session at the issuer, which would otherwise sign in the next person at this browser. */
export async function signOut({ issuer }, idToken) {
  const { end_session_endpoint: address } = await discovered(issuer);
  const asked = { id_token_hint: idToken, post_logout_redirect_uri: here };
  location.assign(address === undefined ? here : `${address}?${new URLSearchParams(asked)}`);
}
