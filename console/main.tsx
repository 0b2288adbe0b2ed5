/** Starts the console in its page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { followLinks } from './state/address.ts';
import { arrive } from './state/arrival.ts';
import { startSession } from './state/session.ts';

const place = document.getElementById('console');
if (place !== null) {
  followLinks();
  const arrival = await arrive();
  if (arrival === 'stays') {
    await startSession(true);
    // Until now the page shows the empty frame that the server has sent.
    place.replaceChildren();
    render(<App />, place);
  } else if (arrival === 'done') {
    window.close();
    // A browser may leave it open.
    place.textContent = 'You are signed in. You can close this window.';
  }
}
