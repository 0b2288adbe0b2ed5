/** The frame of every screen: the rail, the screen of the address, the notices. */
import { useEffect } from 'preact/hooks';
import './app.css';
import './parts/input.css';
import { Notices } from './parts/notices.tsx';
import { Rail } from './parts/rail.tsx';
import { Missing } from './screens/missing.tsx';
import { screenOf } from './screens/screens.ts';
import { SignIn } from './screens/sign-in.tsx';
import { tools } from './screens/tools.ts';
import { Unreachable } from './screens/unreachable.tsx';
import { address } from './state/address.ts';
import { session } from './state/session.ts';

export function App() {
  const current = session.value;
  return (
    <>
      {current.kind === 'open' ? <Frame /> : null}
      {current.kind === 'signed out' ? <SignIn why={current.why} isNeeded={current.isNeeded} /> : null}
      {current.kind === 'unreachable' ? <Unreachable why={current.why} /> : null}
      <Notices />
    </>
  );
}

function Frame() {
  const current = session.value;
  const { path } = address.value;
  const screen = current.kind === 'open' ? screenOf(path, current.collections) : undefined;
  const title = screen?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Shelf`;
  }, [title]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Rail tools={tools} />
      <main id="main" tabIndex={-1}>
        {screen === undefined ? <Missing /> : <screen.View key={screen.key} />}
      </main>
    </div>
  );
}
