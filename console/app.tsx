/** The frame of every screen: the rail, the screen of the address, the notices. */
import { useEffect } from 'preact/hooks';
import './app.css';
import './parts/input.css';
import { Finder } from './find/finder.tsx';
import { Notices } from './parts/notices.tsx';
import { Rail } from './rail.tsx';
import { Missing } from './screens/missing.tsx';
import { screenOf } from './screens/screens.tsx';
import { Leaving, SignIn } from './screens/sign-in/sign-in.tsx';
import { SignInAgain, SignInExpired } from './screens/sign-in/sign-in-again.tsx';
import { Unreachable } from './screens/unreachable.tsx';
import { expiry } from './sign-in/person.ts';
import { address } from './state/address.ts';
import { type OpenSession, session } from './state/session.ts';

export function App() {
  const current = session.value;
  return (
    <>
      {current.kind === 'open' ? <Frame session={current} /> : null}
      {current.kind === 'leaving' ? <Leaving /> : null}
      {current.kind === 'signed out' ? <SignIn why={current.why} isNeeded={current.isNeeded} /> : null}
      {expiry.value === 'needed' ? <SignInAgain /> : null}
      {current.kind === 'unreachable' ? <Unreachable why={current.why} /> : null}
      <Notices>{expiry.value === 'noted' ? <SignInExpired /> : null}</Notices>
    </>
  );
}

function Frame({ session: current }: { readonly session: OpenSession }) {
  const screen = screenOf(address.value.path, current);
  const title = screen?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Shelf`;
  }, [title]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Rail session={current} />
      <main id="main" tabIndex={-1}>
        {screen?.view ?? <Missing />}
      </main>
      <Finder session={current} />
    </div>
  );
}
