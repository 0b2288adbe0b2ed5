/** Signs in again in another window, beside a page that stays as it is. */
import { here } from './issuers.ts';
import { adopt, loadOauth, person } from './person.ts';

const channelName = 'shelf.sign-in';
/** Windows of one browser answer in milliseconds. */
const handoverMs = 2000;

type Message =
  /** The query with which the issuer has sent the person back. */
  { readonly kind: 'answer'; readonly search: string } | { readonly kind: 'taken'; readonly state: string };

let channel: BroadcastChannel | undefined;
/** Somebody else has signed in, so the issuer must ask who it is. */
let mustAsk = false;

/** To be called from a click, or the browser blocks the window. Resolves with why it has failed; empty if it has not. */
export async function signInAgain(): Promise<string> {
  const before = person.value;
  if (before === undefined) return '';
  const other = window.open('', channelName, 'popup,width=480,height=680');
  if (other === null) return 'The browser has blocked the window. Allow this page to open windows, then try again.';
  const { begin, finish } = await loadOauth();
  const { url, attempt } = await begin(before.issuer, here, mustAsk ? 'login' : undefined);
  other.location.replace(url);
  const outcome = await finish(before.issuer, here, attempt, await answerTo(attempt.state));
  if (outcome.kind === 'asks') return 'The issuer does not sign you in without asking you. Try again.';
  if (outcome.kind !== 'signed in') return outcome.why;
  mustAsk = outcome.tokens.subject !== before.subject;
  if (mustAsk)
    return `You are ${before.name} on this page. ${outcome.tokens.name} has signed in: sign in as ${before.name}.`;
  adopt(before.issuer, outcome.tokens);
  return '';
}

/** Never resolves if the person closes the window, or begins again. */
function answerTo(state: string): Promise<string> {
  channel?.close();
  const own = new BroadcastChannel(channelName);
  channel = own;
  return new Promise((resolve) => {
    own.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind !== 'answer' || stateIn(data.search) !== state) return;
      own.postMessage({ kind: 'taken', state } satisfies Message);
      own.close();
      resolve(data.search);
    };
  });
}

/** In the other window: whether a page has waited for this answer of an issuer. */
export function handOver(search: string): Promise<boolean> {
  const own = new BroadcastChannel(channelName);
  const state = stateIn(search);
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      own.close();
      resolve(isTaken);
    };
    own.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'taken' && data.state === state) end(true);
    };
    own.postMessage({ kind: 'answer', search } satisfies Message);
    setTimeout(() => end(false), handoverMs);
  });
}

export function stateIn(search: string): string | null {
  return new URLSearchParams(search).get('state');
}
